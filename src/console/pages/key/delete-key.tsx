import { answered, api } from '../../api/client.js';
import { ChangeDialog } from '../../parts/change-dialog.js';
import type { Key } from '../keys/key-state.js';

/** Deletes a key after a question that names it. */
export function DeleteKey({
  of: { hash, name },
  onDeleted,
  onClose,
}: {
  of: Key;
  onDeleted: () => void;
  onClose: () => void;
}) {
  return (
    <ChangeDialog
      title="Delete a key"
      action="Delete the key"
      send={() => answered(api.DELETE('/v1/keys/{hash}', { params: { path: { hash } } }))}
      onSent={onDeleted}
      onClose={onClose}
      isDangerous
    >
      <p>
        Delete the key <strong dir="auto">{name}</strong> permanently? All of its strings stop
        working at once. To stop them for a time, disable the key.
      </p>
    </ChangeDialog>
  );
}
