import { useContext, useState } from 'preact/hooks';
import { answered, api, type Schemas } from '../../api/client.js';
import { Section } from '../../frame/page.js';
import { Who } from '../../frame/who.js';
import { Change } from '../../parts/change.js';
import { ExpiryField, SelectField, TextField } from '../../parts/fields.js';
import { Name } from '../../parts/names.js';
import { type Column, List } from '../../parts/table.js';
import { Time } from '../../parts/times.js';
import { addressOf, go, usePlace } from '../../routing/place.js';

type ManagementKey = Schemas['ManagementKey'];

const nameOf = ({ name, hash }: ManagementKey): string => name ?? hash.slice(0, 12);

const COLUMNS: readonly Column<ManagementKey>[] = [
  { title: 'Name', cell: (key) => <Name of={nameOf(key)} /> },
  { title: 'User', cell: ({ user_id: user }) => <Name of={user} /> },
  { title: 'Role', cell: ({ role }) => role },
  { title: 'State', cell: (key) => <State of={key} /> },
  { title: 'Created', isNumber: true, cell: ({ created_at: at }) => <Time at={at} /> },
  { title: 'Expires', isNumber: true, cell: ({ expires_at: at }) => <Time at={at} none="never" /> },
  {
    title: 'Revoke',
    isNumber: true,
    isChange: true,
    cell: (key) => key.revoked_at === null && <Revoke of={key} />,
  },
];

/** The management keys of the organization. */
export function ManagementKeys() {
  const { path, filters } = usePlace();
  const include_revoked = filters.include_revoked === 'true';
  return (
    <Section title="Management keys" actions={<CreateManagementKey />}>
      <label class="check">
        <input
          type="checkbox"
          checked={include_revoked}
          onChange={({ currentTarget: { checked } }) =>
            go(addressOf(path, { include_revoked: checked ? 'true' : undefined }))
          }
        />
        With revoked keys
      </label>
      <List
        what="management keys"
        read={(page) =>
          answered(
            api.GET('/v1/management-keys', { params: { query: { include_revoked, ...page } } }),
          )
        }
        columns={COLUMNS}
        idOf={({ hash }) => hash}
        empty="There is no management key."
        name="keys_offset"
      />
    </Section>
  );
}

function State({ of: { revoked_at: revoked, expires_at: expires } }: { of: ManagementKey }) {
  const [now] = useState(Date.now);
  if (revoked !== null) return <span class="none">revoked</span>;
  const isExpired = expires !== null && Date.parse(expires) <= now;
  return isExpired ? <span class="none">expired</span> : <>live</>;
}

function Revoke({ of: key }: { of: ManagementKey }) {
  const isOwn = useContext(Who)?.hash === key.hash;
  const params = { path: { hash: key.hash } };
  return (
    <Change
      title="Revoke"
      of={nameOf(key)}
      question={`Revoke the management key ${nameOf(key)}?`}
      action="Revoke"
      send={() => answered(api.DELETE('/v1/management-keys/{hash}', { params }))}
      isDangerous
    >
      <p>
        It has the role {key.role}, and its user is <bdi>{key.user_id}</bdi>. It is refused from
        then on, for ever.
      </p>
      {isOwn && <p class="fault">You are signed in with this key.</p>}
    </Change>
  );
}

const ROLES = [
  ['auditor', 'auditor: reads everything'],
  ['gateway', 'gateway: verifies keys and reports usage'],
  ['admin', 'admin: may do everything'],
] as const;

function CreateManagementKey() {
  return (
    <Change
      title="Create a management key"
      action="Create the key"
      send={async (changed: Partial<Schemas['CreateManagementKeyRequest']>) => {
        const body = { role: 'auditor', ...changed };
        const { value } = await answered(api.POST('/v1/management-keys', { body }));
        return {
          keyString: value.key,
          title: 'The management key was created',
          ifLost: 'When it is lost, revoke this key and create another one.',
        };
      }}
    >
      <TextField label="Name" name="name" />
      <TextField label="User" name="user_id" hint="A member; empty for yourself" />
      <SelectField label="Role" name="role" options={ROLES} />
      <ExpiryField hint=". It never changes." />
    </Change>
  );
}
