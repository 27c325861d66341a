import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { allActivity } from '../api/activity.js';
import { answered, api } from '../api/client.js';
import { useAnswer } from '../api/use-answer.js';
import { Page } from '../frame/page.js';
import { AuditEvents } from '../parts/audit-events.js';
import { DayCharts } from '../parts/day-chart.js';
import { Name } from '../parts/name.js';
import { Show } from '../parts/states.js';
import { type Column, Table } from '../parts/table.js';
import { dayAfter, dayOf, Time } from '../parts/times.js';
import { WorkspaceName } from '../parts/workspace.js';
import { addressOf } from '../routing/place.js';
import { LIMITS_REACHED } from './audit/actions.js';
import type { Key } from './keys/key-state.js';

const DAY_MS = 24 * 3_600 * 1_000;

/** A summary for those who manage keys. Each part leads to the page that has more. */
export function OverviewPage() {
  const [now] = useState(Date.now);
  const at = (days: number): string => new Date(now + days * DAY_MS).toISOString();
  return (
    <Page title="Overview">
      <h2>Limits reached in the last 7 days</h2>
      <Events
        query={{ action: LIMITS_REACHED, from: at(-7), limit: 10 }}
        empty="No limit was reached."
        more={addressOf('/audit', { action: LIMITS_REACHED.join(','), from: at(-7) })}
      />
      <h2>Keys that expire within 14 days</h2>
      <Expiring filters={{ expires_after: at(0), expires_before: at(14) }} />
      <h2>Spending of the last 30 days</h2>
      <Spending to={dayOf(new Date(now))} />
      <h2>Last changes</h2>
      <Events query={{ limit: 10 }} empty="Nothing has changed yet." more="/audit" />
    </Page>
  );
}

interface EventQuery {
  readonly action?: string[];
  readonly from?: string;
  readonly limit: number;
}

function Events({ query, empty, more }: { query: EventQuery; empty: string; more: string }) {
  const loaded = useAnswer(more, (signal) =>
    answered(api.GET('/v1/audit-events', { params: { query }, signal })),
  );
  return (
    <Show loaded={loaded}>
      {({ data, next_cursor: next }) => (
        <>
          <AuditEvents of={data} empty={empty} />
          {next !== null && <Link href={more}>All of them</Link>}
        </>
      )}
    </Show>
  );
}

const EXPIRING: readonly Column<Key>[] = [
  { title: 'Name', cell: ({ hash, name }) => <Name of={name} href={`/keys/${hash}`} /> },
  { title: 'Workspace', cell: ({ workspace_id: id }) => <WorkspaceName id={id} /> },
  { title: 'Expires', isNumber: true, cell: ({ expires_at: at }) => <Time at={at} /> },
];

function Expiring({ filters }: { filters: { expires_after: string; expires_before: string } }) {
  const query = { ...filters, workspace_id: 'all', limit: 5 };
  const loaded = useAnswer('expiring', (signal) =>
    answered(api.GET('/v1/keys', { params: { query }, signal })),
  );
  return (
    <Show loaded={loaded}>
      {({ data, total_count: total }) => (
        <>
          <Table
            caption="Keys that expire"
            columns={EXPIRING}
            rows={data}
            idOf={({ hash }) => hash}
            empty="No key expires."
          />
          {total > data.length && <Link href={addressOf('/keys', filters)}>All {total} keys</Link>}
        </>
      )}
    </Show>
  );
}

function Spending({ to }: { to: string }) {
  const query = { group_by: 'day', from: dayAfter(to, -29), to } as const;
  const loaded = useAnswer('spending', (signal) => allActivity(query, signal));
  return (
    <Show loaded={loaded}>
      {(rows) => (
        <>
          <DayCharts rows={rows} last={to} what="all keys" />
          <Link href="/activity">Activity</Link>
        </>
      )}
    </Show>
  );
}
