import { useState } from 'preact/hooks';
import { answered, api, type Schemas } from '../../api/client.js';
import { Page } from '../../frame/page.js';
import { useRights } from '../../frame/who.js';
import { Change } from '../../parts/change.js';
import {
  CheckField,
  ExpiryField,
  LimitFields,
  SelectField,
  TextField,
} from '../../parts/fields.js';
import { FilterForm } from '../../parts/form.js';
import { Name, WorkspaceName } from '../../parts/names.js';
import { type Column, List } from '../../parts/table.js';
import { Time } from '../../parts/times.js';
import { WorkspaceField } from '../../parts/workspace-field.js';
import { type Filters, usePlace } from '../../routing/place.js';
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
  const { filters: place } = usePlace();
  const { offset: _, ...filters } = place;
  const isFiltered = Object.keys(filters).length > 0;
  const query = {
    workspace_id: 'all',
    ...filters,
    include_disabled: filters.include_disabled === 'true',
  };
  return (
    <Page title="Keys" actions={<CreateKey />}>
      <FilterForm of={filters}>
        <KeyFilters of={filters} />
      </FilterForm>
      <List
        what="keys"
        read={(page) => answered(api.GET('/v1/keys', { params: { query: { ...query, ...page } } }))}
        columns={COLUMNS}
        idOf={({ hash }) => hash}
        empty={
          isFiltered
            ? 'No key matches these filters.'
            : 'There are no enabled keys yet. A key opens an API for a client, up to a limit.'
        }
      />
    </Page>
  );
}

const KINDS = [
  ['', 'Any key'],
  ['creator_user_id', 'Creator'],
  ['external_user', 'End user'],
  ['expires_before', 'Expires before'],
] as const;

/** The filters of the keys. Of creator, end user and expiry, the API takes one at a time. */
function KeyFilters({ of: filters }: { of: Filters }) {
  const first = KINDS.find(([name]) => filters[name] !== undefined)?.[0] ?? '';
  const [kind, setKind] = useState<string>(first);
  const title = KINDS.find(([name]) => name === kind)?.[1] ?? '';
  return (
    <>
      <WorkspaceField none="All workspaces" />
      <SelectField label="Only by" options={KINDS} value={first} onValue={setKind} />
      {kind !== '' && (
        <TextField
          key={kind}
          label={title}
          name={kind}
          type={kind === 'expires_before' ? 'datetime-local' : 'text'}
        />
      )}
      {kind === first && <input type="hidden" name="expires_after" value={filters.expires_after} />}
      <CheckField label="With disabled keys" name="include_disabled" />
    </>
  );
}

type Fields = Partial<Schemas['CreateKeyRequest']> & { readonly 'external.user'?: string };

function CreateKey() {
  const { isOrganization } = useRights();
  return (
    <Change
      title="Create a key"
      kind="main"
      action="Create the key"
      makesString
      send={async ({ name = '', 'external.user': user, ...others }: Fields) => {
        const body = { ...others, name, ...(user !== undefined && { external: { user } }) };
        const { value } = await answered(api.POST('/v1/keys', { body }));
        return {
          keyString: value.key,
          title: `The key ${name} was created`,
          ifLost:
            'When it is lost, rotate the key: it gets a new string and keeps everything else.',
        };
      }}
    >
      <TextField label="Name" name="name" />
      <WorkspaceField none="Default workspace" />
      {isOrganization && (
        <TextField
          label="End user"
          name="external.user"
          hint="Tracking ID of the end user whose key this is; empty for none"
        />
      )}
      <LimitFields hint="Empty for no limit" />
      <ExpiryField />
    </Change>
  );
}
