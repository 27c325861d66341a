import { useState } from 'preact/hooks';
import { answered, api } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { Dialog } from '../../parts/dialog.js';
import { CheckField, Form, numberOf, SelectField, TextField } from '../../parts/form.js';
import { plainDecimal } from '../../parts/money.js';
import { timeForInput, timeFromInput } from '../../parts/times.js';
import { WorkspaceField } from '../../parts/workspace.js';
import { RESETS } from '../keys/create-key.js';
import type { Key } from '../keys/key-state.js';

type Changes = components['schemas']['UpdateKeyRequest'];
type LimitReset = components['schemas']['LimitReset'];

/** Changes the fields of a key, its workspace and its expiry. Only what differs is sent. */
export function EditKey({
  of: key,
  onChanged,
  onClose,
}: {
  of: Key;
  onChanged: () => void;
  onClose: () => void;
}) {
  const limitBefore = key.limit === null ? '' : plainDecimal(key.limit);
  const expiryBefore = timeForInput(key.expires_at);
  const [name, setName] = useState(key.name);
  const [workspace, setWorkspace] = useState(key.workspace_id);
  const [limit, setLimit] = useState(limitBefore);
  const [reset, setReset] = useState<string>(key.limit_reset ?? '');
  const [withByok, setWithByok] = useState(key.include_byok_in_limit);
  const [expiry, setExpiry] = useState(expiryBefore);

  async function send(): Promise<void> {
    const params = { path: { hash: key.hash } };
    const body: Changes = {
      ...(name !== key.name && { name }),
      ...(limit !== limitBefore && { limit: numberOf(limit, 'limit') }),
      ...(reset !== (key.limit_reset ?? '') && { limit_reset: (reset || null) as LimitReset }),
      ...(withByok !== key.include_byok_in_limit && { include_byok_in_limit: withByok }),
      ...(workspace !== key.workspace_id && { workspace_id: workspace }),
    };
    if (Object.keys(body).length > 0) {
      await answered(api.PATCH('/v1/keys/{hash}', { params, body }));
    }
    if (expiry !== expiryBefore) {
      const expires_at = timeFromInput(expiry);
      await answered(api.PUT('/v1/keys/{hash}/expiry', { params, body: { expires_at } }));
    }
    onChanged();
  }

  return (
    <Dialog title="Edit the key" onClose={onClose}>
      <Form title="Edit the key" action="Save" send={send} onCancel={onClose}>
        <TextField label="Name" name="name" value={name} onValue={setName} />
        <WorkspaceField value={workspace} onValue={setWorkspace} />
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
