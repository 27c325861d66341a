import { useContext, useState } from 'preact/hooks';
import { answered, api } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { useAnswer } from '../../api/use-answer.js';
import { useRights, Who } from '../../frame/who.js';
import { ChangeDialog } from '../../parts/change-dialog.js';
import { Control } from '../../parts/control.js';
import { CheckField } from '../../parts/form.js';
import { List } from '../../parts/list.js';
import { Name } from '../../parts/name.js';
import { Section } from '../../parts/section.js';
import { type Column, offsetOf, PAGE_SIZE } from '../../parts/table.js';
import { Time } from '../../parts/times.js';
import { addressOf, go, usePlace } from '../../routing/place.js';
import { CreateManagementKey } from './create-management-key.js';

type ManagementKey = components['schemas']['ManagementKey'];

/** The filter that holds the offset, since the page has another list too. */
const OFFSET = 'keys_offset';

const nameOf = ({ name, hash }: ManagementKey): string => name ?? hash.slice(0, 12);

const COLUMNS: readonly Column<ManagementKey>[] = [
  { title: 'Name', cell: (key) => <Name of={nameOf(key)} /> },
  { title: 'User', cell: ({ user_id: user }) => <Name of={user} /> },
  { title: 'Role', cell: ({ role }) => role },
  { title: 'State', cell: (key) => <State of={key} /> },
  { title: 'Created', isNumber: true, cell: ({ created_at: at }) => <Time at={at} /> },
  { title: 'Expires', isNumber: true, cell: ({ expires_at: at }) => <Time at={at} none="never" /> },
];

/** The management keys of the organization. */
export function ManagementKeys() {
  const { path, filters } = usePlace();
  const { mayChange } = useRights();
  const include_revoked = filters.include_revoked === 'true';
  const query = { include_revoked, offset: offsetOf(filters, OFFSET), limit: PAGE_SIZE };
  const loaded = useAnswer(JSON.stringify(query), (signal) =>
    answered(api.GET('/v1/management-keys', { params: { query }, signal })),
  );
  const revocation: Column<ManagementKey> = {
    title: 'Revoke',
    isNumber: true,
    cell: (key) =>
      key.revoked_at === null && (
        <Control title="Revoke" of={nameOf(key)}>
          {(close) => <Revoke of={key} onRevoked={loaded.reload} onClose={close} />}
        </Control>
      ),
  };
  return (
    <Section
      title="Management keys"
      actions={
        <Control title="Create a management key">
          {(close) => <CreateManagementKey onCreated={loaded.reload} onClose={close} />}
        </Control>
      }
    >
      <CheckField
        label="With revoked keys"
        value={include_revoked}
        onValue={(isOn) => go(addressOf(path, { include_revoked: isOn ? 'true' : undefined }))}
      />
      <List
        what="management keys"
        loaded={loaded}
        columns={mayChange ? [...COLUMNS, revocation] : COLUMNS}
        idOf={({ hash }) => hash}
        empty="There is no management key."
        name={OFFSET}
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

function Revoke({
  of: key,
  onRevoked,
  onClose,
}: {
  of: ManagementKey;
  onRevoked: () => void;
  onClose: () => void;
}) {
  const isOwn = useContext(Who)?.hash === key.hash;
  const revoke = async (): Promise<void> => {
    const params = { path: { hash: key.hash } };
    await answered(api.DELETE('/v1/management-keys/{hash}', { params }));
    onRevoked();
  };
  return (
    <ChangeDialog
      title={`Revoke the management key ${nameOf(key)}?`}
      action="Revoke"
      send={revoke}
      onClose={onClose}
      isDangerous
    >
      <p>
        It has the role {key.role}, and its user is <bdi>{key.user_id}</bdi>. It is refused from
        then on, for ever.
      </p>
      {isOwn && <p class="fault">You are signed in with this key.</p>}
    </ChangeDialog>
  );
}
