import { answered, api } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { ChangeDialog } from '../../parts/change-dialog.js';
import { useFields } from '../../parts/fields.js';
import { numberOf, TextField } from '../../parts/form.js';
import { LimitFields, resetOf } from '../../parts/limit-fields.js';
import { plainDecimal } from '../../parts/money.js';
import { timeForInput, timeFromInput } from '../../parts/times.js';
import { WorkspaceField } from '../../parts/workspace.js';
import type { Key } from '../keys/key-state.js';

type Changes = components['schemas']['UpdateKeyRequest'];

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
  const { changed, field } = useFields({
    name: key.name,
    workspace_id: key.workspace_id,
    limit: key.limit === null ? '' : plainDecimal(key.limit),
    limit_reset: key.limit_reset ?? '',
    include_byok_in_limit: key.include_byok_in_limit,
    expires_at: timeForInput(key.expires_at),
  });

  async function send(): Promise<void> {
    const params = { path: { hash: key.hash } };
    const { limit, limit_reset: reset, expires_at: expiry, ...others } = changed;
    const body: Changes = {
      ...others,
      ...(limit !== undefined && { limit: numberOf(limit, 'limit') }),
      ...(reset !== undefined && { limit_reset: resetOf(reset) }),
    };
    if (Object.keys(body).length > 0) {
      await answered(api.PATCH('/v1/keys/{hash}', { params, body }));
    }
    if (expiry !== undefined) {
      const expires_at = timeFromInput(expiry);
      await answered(api.PUT('/v1/keys/{hash}/expiry', { params, body: { expires_at } }));
    }
  }

  return (
    <ChangeDialog
      title="Edit the key"
      action="Save"
      send={send}
      onSent={onChanged}
      onClose={onClose}
    >
      <TextField label="Name" {...field('name')} />
      <WorkspaceField {...field('workspace_id')} />
      <LimitFields
        limit={field('limit')}
        reset={field('limit_reset')}
        byok={field('include_byok_in_limit')}
        hint="Empty for no limit"
      />
      <TextField
        label="Expires"
        type="datetime-local"
        hint="In your time zone; empty for never"
        {...field('expires_at')}
      />
    </ChangeDialog>
  );
}
