import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { answered, api } from '../api/client.js';
import { Page } from '../frame/page.js';
import { LatestEvents } from '../parts/audit-events.js';
import { DayCharts } from '../parts/day-chart.js';
import { Name, WorkspaceName } from '../parts/names.js';
import { Load } from '../parts/states.js';
import { type Column, Table } from '../parts/table.js';
import { last30Days, Time } from '../parts/times.js';
import { addressOf } from '../routing/place.js';
import { LIMITS_REACHED } from './audit/actions.js';
import type { Key } from './keys/key-state.js';

const DAY_MS = 24 * 3_600 * 1_000;

/** A summary for those who manage keys. Each part leads to the page that has more. */
export function OverviewPage() {
  const [now] = useState(Date.now);
  const [days] = useState(last30Days);
  const at = (day: number): string => new Date(now + day * DAY_MS).toISOString();
  return (
    <Page title="Overview">
      <h2>Limits reached in the last 7 days</h2>
      <LatestEvents
        query={{ action: LIMITS_REACHED, from: at(-7) }}
        empty="No limit was reached."
      />
      <h2>Keys that expire within 14 days</h2>
      <Expiring filters={{ expires_after: at(0), expires_before: at(14) }} />
      <h2>Spending of the last 30 days</h2>
      <DayCharts query={{ group_by: 'day', ...days }} what="all keys" />
      <Link href="/activity">Activity</Link>
      <h2>Last changes</h2>
      <LatestEvents query={{}} empty="Nothing has changed yet." />
    </Page>
  );
}

const EXPIRING: readonly Column<Key>[] = [
  { title: 'Name', cell: ({ hash, name }) => <Name of={name} href={`/keys/${hash}`} /> },
  { title: 'Workspace', cell: ({ workspace_id: id }) => <WorkspaceName id={id} /> },
  { title: 'Expires', isNumber: true, cell: ({ expires_at: at }) => <Time at={at} /> },
];

function Expiring({ filters }: { filters: { expires_after: string; expires_before: string } }) {
  const query = { ...filters, workspace_id: 'all', limit: 5 };
  return (
    <Load of="expiring" by={() => answered(api.GET('/v1/keys', { params: { query } }))}>
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
    </Load>
  );
}
