import { answered, api } from '../../api/client.js';
import { useAnswer } from '../../api/use-answer.js';
import { Page } from '../../frame/page.js';
import { Control } from '../../parts/control.js';
import { List } from '../../parts/list.js';
import { Name } from '../../parts/name.js';
import { type Column, offsetOf, PAGE_SIZE } from '../../parts/table.js';
import { Time } from '../../parts/times.js';
import { WorkspaceName } from '../../parts/workspace.js';
import { addressOf, type Filters, usePlace } from '../../routing/place.js';
import { CreateKey } from './create-key.js';
import { KeyFilters } from './key-filters.js';
import { KeyState, Limit } from './key-parts.js';
import type { Key } from './key-state.js';

const COLUMNS: readonly Column<Key>[] = [
  { title: 'Name', cell: ({ hash, name }) => <Name of={name} href={`/keys/${hash}`} /> },
  { title: 'Workspace', cell: ({ workspace_id: id }) => <WorkspaceName id={id} /> },
  { title: 'State', cell: (key) => <KeyState of={key} /> },
  { title: 'Limit, USD', isNumber: true, cell: (key) => <Limit of={key} /> },
  {
    title: 'Last use',
    isNumber: true,
    cell: ({ last_used_at: at }) => <Time at={at} none="never" />,
  },
  { title: 'Expires', isNumber: true, cell: ({ expires_at: at }) => <Time at={at} none="never" /> },
];

/** The keys of the account, page by page. */
export function KeysPage() {
  const { path, filters } = usePlace();
  const loaded = useAnswer(addressOf(path, filters), (signal) =>
    answered(api.GET('/v1/keys', { params: { query: queryOf(filters) }, signal })),
  );
  return (
    <Page
      title="Keys"
      actions={
        <Control title="Create a key" kind="main">
          {(close) => <CreateKey onCreated={loaded.reload} onClose={close} />}
        </Control>
      }
    >
      <KeyFilters key={addressOf(path, { ...filters, offset: undefined })} filters={filters} />
      <List
        what="keys"
        loaded={loaded}
        columns={COLUMNS}
        idOf={({ hash }) => hash}
        empty={emptyText(filters)}
      />
    </Page>
  );
}

/** Returns the query of a list for the filters of an address, which have the names of the API. */
function queryOf(filters: Filters) {
  const { workspace_id = 'all', include_disabled, ...others } = filters;
  return {
    ...others,
    workspace_id,
    include_disabled: include_disabled === 'true',
    offset: offsetOf(filters),
    limit: PAGE_SIZE,
  };
}

function emptyText(filters: Filters): string {
  return Object.keys(filters).some((name) => name !== 'offset')
    ? 'No key matches these filters.'
    : 'There are no enabled keys yet. A key opens an API for a client, up to a limit.';
}
