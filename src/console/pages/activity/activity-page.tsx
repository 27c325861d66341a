import { useState } from 'preact/hooks';
import { answered, api, type Schemas } from '../../api/client.js';
import { Page } from '../../frame/page.js';
import { useRights } from '../../frame/who.js';
import { AtOnce } from '../../parts/change.js';
import { DayCharts } from '../../parts/day-chart.js';
import { SelectField, TextField } from '../../parts/fields.js';
import { FilterForm } from '../../parts/form.js';
import { usdText } from '../../parts/money.js';
import { KeyName, Name, WorkspaceName } from '../../parts/names.js';
import { type Column, CursorList, Table } from '../../parts/table.js';
import { dayOf } from '../../parts/times.js';
import { WorkspaceField } from '../../parts/workspace-field.js';
import { addressOfEndUser, usePlace } from '../../routing/place.js';
import { saveActivity } from './activity-file.js';
import { chartQuery, type TableQuery, tableQuery } from './activity-query.js';

/** The use by day: charts, a table page by page, and all of its rows as files. */
export function ActivityPage() {
  const { filters } = usePlace();
  const [today] = useState(() => dayOf(new Date()));
  const query = tableQuery(filters, today);
  const ofDays = chartQuery(query);
  return (
    <Page
      title="Activity"
      actions={
        <>
          <AtOnce title="Download NDJSON" send={() => saveActivity(query, 'ndjson')} />
          <AtOnce title="Download CSV" send={() => saveActivity(query, 'csv')} />
        </>
      }
    >
      <FilterForm of={query}>
        <ActivityFilters of={query} />
      </FilterForm>
      {ofDays && <DayCharts query={ofDays} what="activity" />}
      <CursorList
        what="activity"
        filters={query}
        read={(page) =>
          answered(api.GET('/v1/activity', { params: { query: { ...query, ...page } } }))
        }
      >
        {(rows) => <ActivityTable rows={rows} by={query.group_by} />}
      </CursorList>
    </Page>
  );
}

const GROUPS = [
  ['key', 'Key'],
  ['workspace', 'Workspace'],
  ['user', 'End user'],
] as const;

/** The filters of the activity: its grouping, its days, and a workspace, key or end user. */
function ActivityFilters({ of: query }: { of: TableQuery }) {
  const { isOrganization } = useRights();
  const [group, setGroup] = useState(query.group_by);
  const groups = GROUPS.filter(([value]) => value !== 'user' || isOrganization);
  return (
    <>
      <SelectField label="Rows by" name="group_by" options={groups} onValue={setGroup} />
      <TextField label="From (UTC)" name="from" type="date" />
      <TextField label="To (UTC)" name="to" type="date" />
      {group !== 'user' && <WorkspaceField none="All workspaces" />}
      {group === 'key' && <TextField label="Hash of a key" name="api_key_hash" />}
      {group === 'user' && <TextField label="Tracking ID" name="user" />}
    </>
  );
}

type ActivityRow = Schemas['Activity'];

const KEY: Column<ActivityRow> = {
  title: 'Key',
  cell: ({ api_key_hash: hash }) =>
    hash === null ? <span class="none">unattributed</span> : <KeyName hash={hash} />,
};

const WORKSPACE: Column<ActivityRow> = {
  title: 'Workspace',
  cell: ({ workspace_id: id }) => <WorkspaceName id={id} />,
};

const USER: Column<ActivityRow> = {
  title: 'End user',
  cell: ({ user }) =>
    user === null ? (
      <span class="none">none of its own</span>
    ) : (
      <Name of={user} href={addressOfEndUser(user)} />
    ),
};

const NUMBERS: readonly Column<ActivityRow>[] = [
  { title: 'Usage, USD', isNumber: true, cell: ({ usage }) => usdText(usage) },
  { title: 'BYOK, USD', isNumber: true, cell: ({ byok_usage: byok }) => usdText(byok) },
  { title: 'Requests', isNumber: true, cell: ({ requests }) => requests },
];

const BY: Readonly<Record<string, readonly Column<ActivityRow>[]>> = {
  key: [KEY, WORKSPACE],
  workspace: [WORKSPACE],
  user: [USER],
};

/** A page of rows of the activity, newest day first, in the order of the API. */
function ActivityTable({ rows, by }: { rows: readonly ActivityRow[]; by: string }) {
  return (
    <Table
      caption={`Activity by day and ${by}`}
      columns={[{ title: 'Day (UTC)', cell: ({ date }) => date }, ...(BY[by] ?? []), ...NUMBERS]}
      rows={rows}
      idOf={({ date, api_key_hash, workspace_id, user }) =>
        JSON.stringify([date, api_key_hash, workspace_id, user])
      }
      empty="Nothing was used in these days. Usage is there when a gateway has reported it."
    />
  );
}
