import { useContext, useState } from 'preact/hooks';
import { answered, api, type Schemas } from '../../api/client.js';
import { Section } from '../../frame/page.js';
import { Who } from '../../frame/who.js';
import { Change } from '../../parts/change.js';
import { ExpiryField, SelectField, TextField } from '../../parts/fields.js';
import { Name } from '../../parts/names.js';
import { type Column, List } from '../../parts/table.js';
import { Time } from '../../parts/times.js';

type ManagementKey = Schemas['ManagementKey'];

const nameOf = ({ name, hash }: ManagementKey): string => name ?? hash.slice(0, 12);

const COLUMNS: readonly Column<ManagementKey>[] = [
  { title: 'Name', cell: (key) => <Name of={nameOf(key)} /> },
  { title: 'User', cell: ({ user_id: user }) => <Name of={user} /> },
  { title: 'Role', cell: ({ role }) => role },
  { title: 'State', cell: (key) => <State of={key} /> },
  { title: 'Created', isNumber: true, cell: ({ created_at: at }) => <Time at={at} /> },
  { title: 'Expires', isNumber: true, cell: ({ expires_at: at }) => <Time at={at} none="never" /> },
  { title: 'Revoke', isNumber: true, isChange: true, cell: (key) => <Revoke of={key} /> },
];

/** The management keys of the organization that are not revoked. */
export function ManagementKeys() {
  return (
    <Section title="Management keys" actions={<CreateManagementKey />}>
      <List
        what="management keys"
        read={(query) => answered(api.GET('/v1/management-keys', { params: { query } }))}
        columns={COLUMNS}
        idOf={({ hash }) => hash}
        empty="There is no management key."
        name="keys_offset"
      />
    </Section>
  );
}

function State({ of: { expires_at: at } }: { of: ManagementKey }) {
  const [now] = useState(Date.now);
  const isExpired = at !== null && Date.parse(at) <= now;
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
      makesString
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
