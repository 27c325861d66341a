import { answered, api, type Schemas } from '../../api/client.js';
import { Failure } from '../../api/failure.js';
import { knownNames } from '../../api/names.js';
import { Change, ChangeAtOnce } from '../../parts/change.js';
import { ExpiryField, LimitFields, SelectField, TextField } from '../../parts/fields.js';
import { WorkspaceField } from '../../parts/workspace-field.js';
import { go } from '../../routing/place.js';
import type { Key } from '../keys/key-state.js';

type Fields = Schemas['UpdateKeyRequest'] & { readonly expires_at?: string | null };

const GRACES = [
  ['86400', 'in a day'],
  ['0', 'at once'],
  ['3600', 'in an hour'],
  ['604800', 'in 7 days'],
  ['2592000', 'in 30 days'],
] as const;

/** The buttons that change a key. */
export function KeyChanges({ of: key }: { of: Key }) {
  const params = { path: { hash: key.hash } };
  const name = <strong dir="auto">{key.name}</strong>;

  async function setDisabled(): Promise<void> {
    await answered(api.PATCH('/v1/keys/{hash}', { params, body: { disabled: !key.disabled } }));
  }

  /** Changes the fields, the workspace and the expiry. Only what differs is sent. */
  async function edit({ expires_at, ...body }: Fields): Promise<void> {
    let stored: Failure | undefined;
    if (Object.keys(body).length > 0) {
      try {
        await answered(api.PATCH('/v1/keys/{hash}', { params, body }));
      } catch (error) {
        if (!(error instanceof Failure && error.details.isStored)) throw error;
        stored = error;
      }
      knownNames.delete(key.hash);
    }
    if (expires_at !== undefined) {
      await answered(api.PUT('/v1/keys/{hash}/expiry', { params, body: { expires_at } }));
    } else if (stored) {
      throw stored;
    }
  }

  async function rotate({ grace_seconds: grace = '86400' }: { grace_seconds?: string }) {
    const body = { grace_seconds: Number(grace) };
    const { value } = await answered(api.POST('/v1/keys/{hash}/rotate', { params, body }));
    const when = GRACES.find(([seconds]) => seconds === grace)?.[1] ?? '';
    return {
      keyString: value.key,
      title: `The key ${key.name} has a new string`,
      ifLost: `The other strings of the key end ${when}. When this one is lost, rotate the key again.`,
    };
  }

  async function remove(): Promise<void> {
    await answered(api.DELETE('/v1/keys/{hash}', { params }));
    knownNames.delete(key.hash);
    go('/keys');
  }

  return (
    <>
      <ChangeAtOnce title={key.disabled ? 'Enable' : 'Disable'} send={setDisabled} />
      <Change title="Edit" question="Edit the key" action="Save" before={key} send={edit}>
        <TextField label="Name" name="name" />
        <WorkspaceField />
        <LimitFields hint="Empty for no limit" />
        <ExpiryField />
      </Change>
      <Change
        title="Rotate"
        question="Rotate the key"
        action="Make a new string"
        send={rotate}
        makesString
      >
        <p>The key {name} gets a new string and keeps everything else.</p>
        <SelectField label="Its other strings end" name="grace_seconds" options={GRACES} />
      </Change>
      <Change
        title="Delete"
        kind="dangerous"
        question="Delete a key"
        action="Delete the key"
        send={remove}
        isDangerous
      >
        <p>
          Delete the key {name} permanently? All of its strings stop working at once. To stop them
          for a time, disable the key.
        </p>
      </Change>
    </>
  );
}
