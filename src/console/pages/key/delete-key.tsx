import { answered, api } from '../../api/client.js';
import { Dialog } from '../../parts/dialog.js';
import { Form } from '../../parts/form.js';
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
  const send = async (): Promise<void> => {
    await answered(api.DELETE('/v1/keys/{hash}', { params: { path: { hash } } }));
    onDeleted();
  };
  return (
    <Dialog title="Delete a key" onClose={onClose}>
      <Form title="Delete a key" action="Delete the key" send={send} isDangerous onCancel={onClose}>
        <p>
          Delete the key <strong dir="auto">{name}</strong> permanently? All of its strings stop
          working at once. To stop them for a time, disable the key.
        </p>
      </Form>
    </Dialog>
  );
}
