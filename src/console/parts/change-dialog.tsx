import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.js';
import { Form } from './form.js';

/** A dialog with a form that sends a change. When the change fails, it stays and says why. */
export function ChangeDialog({
  title,
  action,
  send,
  onClose,
  onSent = onClose,
  isDangerous = false,
  children,
}: {
  title: string;
  action: string;
  /** Makes the change. It throws a Failure. */
  send: () => Promise<unknown>;
  onClose: () => void;
  /** Called after the change. Default: the dialog closes. */
  onSent?: () => void;
  isDangerous?: boolean;
  children?: ComponentChildren;
}) {
  const change = async (): Promise<void> => {
    await send();
    onSent();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        title={title}
        action={action}
        send={change}
        isDangerous={isDangerous}
        onCancel={onClose}
      >
        {children}
      </Form>
    </Dialog>
  );
}
