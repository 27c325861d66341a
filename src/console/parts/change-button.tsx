import { useState } from 'preact/hooks';
import { type Failure, thrownFailure } from '../api/failure.js';
import { Dialog } from './dialog.js';
import { FailureNote } from './states.js';

/** A button that makes a change at once. When the change fails, a dialog says why. */
export function ChangeButton({ title, send }: { title: string; send: () => Promise<void> }) {
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const change = (): void => {
    if (isSending) return;
    setSending(true);
    send()
      .catch((thrown: unknown) => setFailure(thrownFailure(thrown)))
      .finally(() => setSending(false));
  };
  const close = (): void => setFailure(null);
  return (
    <>
      <button
        type="button"
        class="secondary"
        aria-disabled={isSending ? 'true' : undefined}
        onClick={change}
      >
        {title}
      </button>
      {failure && (
        <Dialog title={`${title}: this failed`} onClose={close}>
          <FailureNote of={failure} />
          <button type="button" class="secondary" onClick={close}>
            Close
          </button>
        </Dialog>
      )}
    </>
  );
}
