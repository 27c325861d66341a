import { useState } from 'preact/hooks';
import { answered, api } from '../../api/client.js';
import { useRights } from '../../frame/who.js';
import { ChangeDialog } from '../../parts/change-dialog.js';
import { useFields } from '../../parts/fields.js';
import { numberOf, TextField } from '../../parts/form.js';
import { LimitFields, resetOf } from '../../parts/limit-fields.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { timeFromInput } from '../../parts/times.js';
import { WorkspaceField } from '../../parts/workspace.js';

const EMPTY = {
  name: '',
  workspace_id: '',
  'external.user': '',
  limit: '',
  limit_reset: '',
  include_byok_in_limit: false,
  expires_at: '',
};

/** Creates a key, and shows its string once. */
export function CreateKey({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const { isOrganization } = useRights();
  const { values, field } = useFields(EMPTY);
  const [keyString, setKeyString] = useState<string | null>(null);

  async function create(): Promise<void> {
    const { 'external.user': user, ...others } = values;
    const body = {
      ...others,
      workspace_id: values.workspace_id || null,
      external: user === '' ? null : { user },
      limit: numberOf(values.limit, 'limit'),
      limit_reset: resetOf(values.limit_reset),
      expires_at: timeFromInput(values.expires_at),
    };
    const { value } = await answered(api.POST('/v1/keys', { body }));
    setKeyString(value.key);
  }

  if (keyString !== null) {
    return (
      <ShownOnce title={`The key ${values.name} was created`} text={keyString} onStored={onClose}>
        When it is lost, rotate the key: it gets a new string and keeps everything else.
      </ShownOnce>
    );
  }
  return (
    <ChangeDialog
      title="Create a key"
      action="Create the key"
      send={create}
      onSent={onCreated}
      onClose={onClose}
    >
      <TextField label="Name" {...field('name')} />
      <WorkspaceField none="Default workspace" {...field('workspace_id')} />
      {isOrganization && (
        <TextField
          label="End user"
          hint="Tracking ID of the end user whose key this is; empty for none"
          {...field('external.user')}
        />
      )}
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
