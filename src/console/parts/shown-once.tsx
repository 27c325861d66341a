import type { ComponentChildren } from 'preact';
import { useQuestionBeforeLeaving } from '../routing/leaving.js';
import { Copy } from './copy.js';
import { Dialog } from './dialog.js';

const QUESTION = 'This string is not shown again. Have you stored it?';

/** Shows a string that no later answer contains, and asks before it disappears. */
export function ShownOnce({
  title,
  text,
  onStored,
  children,
}: {
  title: string;
  text: string;
  onStored: () => void;
  /** What to do when the string is lost. */
  children: ComponentChildren;
}) {
  useQuestionBeforeLeaving(QUESTION);
  return (
    <Dialog title={title} onClose={onStored} mayClose={() => window.confirm(QUESTION)}>
      <p>
        <strong>Store this string now: it is shown only once.</strong>
      </p>
      <Copy text={text} label="Key string" />
      <p>{children}</p>
      <div class="actions">
        <button type="button" onClick={onStored}>
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}
