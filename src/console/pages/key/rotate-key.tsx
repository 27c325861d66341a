import { useState } from 'preact/hooks';
import { answered, api } from '../../api/client.js';
import { ChangeDialog } from '../../parts/change-dialog.js';
import { SelectField } from '../../parts/form.js';
import { ShownOnce } from '../../parts/shown-once.js';
import type { Key } from '../keys/key-state.js';

const GRACES = [
  ['86400', 'in a day'],
  ['0', 'at once'],
  ['3600', 'in an hour'],
  ['604800', 'in 7 days'],
  ['2592000', 'in 30 days'],
] as const;

/** Gives a key a new string, which is shown once, and an end to its other strings. */
export function RotateKey({
  of: { hash, name },
  onRotated,
  onClose,
}: {
  of: Key;
  onRotated: () => void;
  onClose: () => void;
}) {
  const [grace, setGrace] = useState('86400');
  const [keyString, setKeyString] = useState<string | null>(null);
  const when = GRACES.find(([seconds]) => seconds === grace)?.[1] ?? '';

  async function send(): Promise<void> {
    const params = { path: { hash } };
    const body = { grace_seconds: Number(grace) };
    const { value } = await answered(api.POST('/v1/keys/{hash}/rotate', { params, body }));
    setKeyString(value.key);
  }

  if (keyString !== null) {
    return (
      <ShownOnce title={`The key ${name} has a new string`} text={keyString} onStored={onClose}>
        The other strings of the key end {when}. When this one is lost, rotate the key again.
      </ShownOnce>
    );
  }
  return (
    <ChangeDialog
      title="Rotate the key"
      action="Make a new string"
      send={send}
      onSent={onRotated}
      onClose={onClose}
    >
      <p>
        The key <strong dir="auto">{name}</strong> gets a new string and keeps everything else.
      </p>
      <SelectField
        label="Its other strings end"
        name="grace_seconds"
        value={grace}
        onValue={setGrace}
        options={GRACES}
      />
    </ChangeDialog>
  );
}
