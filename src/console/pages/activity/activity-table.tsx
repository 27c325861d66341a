import type { ActivityRow } from '../../api/activity.js';
import { usdText } from '../../parts/money.js';
import { KeyName, Name, WorkspaceName } from '../../parts/names.js';
import { type Column, Table } from '../../parts/table.js';
import { addressOf } from '../../routing/place.js';

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
      <Name of={user} href={addressOf('/end-users', { user })} />
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
export function ActivityTable({ rows, by }: { rows: readonly ActivityRow[]; by: string }) {
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
