import { useState } from 'preact/hooks';
import { answered, api } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { useRights } from '../../frame/who.js';
import { Dialog } from '../../parts/dialog.js';
import { CheckField, Form, numberOf, SelectField, TextField } from '../../parts/form.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { timeFromInput } from '../../parts/times.js';
import { WorkspaceField } from '../../parts/workspace.js';

type LimitReset = components['schemas']['LimitReset'];

/** How often a limit resets, by its name in the API. */
export const RESETS = [
  ['', 'Never'],
  ['daily', 'Daily'],
  ['weekly', 'Weekly'],
  ['monthly', 'Monthly'],
] as const;

/** Creates a key, and shows its string once. */
export function CreateKey({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const { isOrganization } = useRights();
  const [name, setName] = useState('');
  const [workspace, setWorkspace] = useState('');
  const [user, setUser] = useState('');
  const [limit, setLimit] = useState('');
  const [reset, setReset] = useState('');
  const [withByok, setWithByok] = useState(false);
  const [expiry, setExpiry] = useState('');
  const [keyString, setKeyString] = useState<string | null>(null);

  async function create(): Promise<void> {
    const body = {
      name,
      workspace_id: workspace || null,
      external: user === '' ? null : { user },
      limit: numberOf(limit, 'limit'),
      limit_reset: (reset || null) as LimitReset | null,
      include_byok_in_limit: withByok,
      expires_at: timeFromInput(expiry),
    };
    const { value } = await answered(api.POST('/v1/keys', { body }));
    setKeyString(value.key);
    onCreated();
  }

  if (keyString !== null) {
    return (
      <ShownOnce title={`The key ${name} was created`} text={keyString} onStored={onClose}>
        When it is lost, rotate the key: it gets a new string and keeps everything else.
      </ShownOnce>
    );
  }
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <Form title="Create a key" action="Create the key" send={create} onCancel={onClose}>
        <TextField label="Name" name="name" value={name} onValue={setName} />
        <WorkspaceField value={workspace} onValue={setWorkspace} none="Default workspace" />
        {isOrganization && (
          <TextField
            label="End user"
            name="external.user"
            value={user}
            onValue={setUser}
            hint="Tracking ID of the end user whose key this is; empty for none"
          />
        )}
        <div class="side-by-side">
          <TextField
            label="Limit, USD"
            name="limit"
            inputMode="decimal"
            value={limit}
            onValue={setLimit}
            hint="Empty for no limit"
          />
          <SelectField
            label="Limit resets"
            name="limit_reset"
            value={reset}
            onValue={setReset}
            options={RESETS}
          />
        </div>
        <CheckField
          label="BYOK usage counts toward the limit"
          value={withByok}
          onValue={setWithByok}
        />
        <TextField
          label="Expires"
          name="expires_at"
          type="datetime-local"
          value={expiry}
          onValue={setExpiry}
          hint="In your time zone; empty for never"
        />
      </Form>
    </Dialog>
  );
}
