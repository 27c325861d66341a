import { useState } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import { answered, api } from '../../api/client.js';
import { useAnswer } from '../../api/use-answer.js';
import { Page } from '../../frame/page.js';
import { LatestEvents } from '../../parts/audit-events.js';
import { DayCharts } from '../../parts/day-chart.js';
import { Show } from '../../parts/states.js';
import { last30Days } from '../../parts/times.js';
import { KeyChanges } from './key-changes.js';
import { KeyFacts } from './key-facts.js';
import { KeyStrings } from './key-strings.js';

/** Everything about a key, and what can be done with it. */
export function KeyPage() {
  const { hash } = useParams<{ hash: string }>();
  const [days] = useState(last30Days);
  const loaded = useAnswer(`key ${hash}`, () =>
    answered(api.GET('/v1/keys/{hash}', { params: { path: { hash } } })),
  );
  const key = loaded.answer?.value.data;
  return (
    <Page title={key?.name ?? 'Key'} actions={key && <KeyChanges of={key} />}>
      <Show loaded={loaded}>
        {({ data }) => (
          <>
            <KeyFacts of={data} />
            <h2>Last 30 days</h2>
            <DayCharts query={{ group_by: 'key', api_key_hash: hash, ...days }} what="this key" />
            <h2>Strings</h2>
            <KeyStrings of={data} />
            <h2>Changes</h2>
            <LatestEvents
              query={{ target_type: 'key', target_id: hash }}
              empty="There are no events of this key."
            />
          </>
        )}
      </Show>
    </Page>
  );
}
