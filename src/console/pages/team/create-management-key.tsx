import { useState } from 'preact/hooks';
import { answered, api } from '../../api/client.js';
import { ChangeDialog } from '../../parts/change-dialog.js';
import { useFields } from '../../parts/fields.js';
import { SelectField, TextField } from '../../parts/form.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { timeFromInput } from '../../parts/times.js';

const ROLES = [
  ['auditor', 'auditor: reads everything'],
  ['gateway', 'gateway: verifies keys and reports usage'],
  ['admin', 'admin: may do everything'],
] as const;

/** Creates a management key, and shows its string once. */
export function CreateManagementKey({
  onCreated,
  onClose,
}: {
  onCreated: () => void;
  onClose: () => void;
}) {
  const [keyString, setKeyString] = useState<string | null>(null);
  const { values, field } = useFields({ name: '', user_id: '', role: 'auditor', expires_at: '' });

  async function create(): Promise<void> {
    const body = {
      role: values.role,
      expires_at: timeFromInput(values.expires_at),
      ...(values.name !== '' && { name: values.name }),
      ...(values.user_id !== '' && { user_id: values.user_id }),
    };
    const { value } = await answered(api.POST('/v1/management-keys', { body }));
    setKeyString(value.key);
  }

  if (keyString !== null) {
    return (
      <ShownOnce title="The management key was created" text={keyString} onStored={onClose}>
        When it is lost, revoke this key and create another one.
      </ShownOnce>
    );
  }
  return (
    <ChangeDialog
      title="Create a management key"
      action="Create the key"
      send={create}
      onClose={onClose}
      onSent={onCreated}
    >
      <TextField label="Name" {...field('name')} />
      <TextField label="User" hint="A member; empty for yourself" {...field('user_id')} />
      <SelectField label="Role" options={ROLES} {...field('role')} />
      <TextField
        label="Expires"
        type="datetime-local"
        hint="In your time zone; empty for never. It never changes."
        {...field('expires_at')}
      />
    </ChangeDialog>
  );
}
