import { useState } from 'preact/hooks';
import { allActivity } from '../../api/activity.js';
import { useAnswer } from '../../api/use-answer.js';
import { DayCharts } from '../../parts/day-chart.js';
import { Show } from '../../parts/states.js';
import { dayAfter, dayOf } from '../../parts/times.js';

/** The use of a key in the last 30 days, as charts. */
export function KeyUse({ hash }: { hash: string }) {
  const [to] = useState(() => dayOf(new Date()));
  const query = { group_by: 'key', api_key_hash: hash, from: dayAfter(to, -29), to } as const;
  const loaded = useAnswer(`use ${hash}`, (signal) => allActivity(query, signal));
  return (
    <Show loaded={loaded}>{(rows) => <DayCharts rows={rows} last={to} what="this key" />}</Show>
  );
}
