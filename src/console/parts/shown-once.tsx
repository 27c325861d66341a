import { useRef, useState } from 'preact/hooks';
import { mayLeave, useQuestionBeforeLeaving } from '../routing/leaving.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';

const QUESTION = 'This string is not shown again. Have you stored it?';

/** A string that no later answer contains. */
export interface NewString {
  readonly keyString: string;
  /** Whose string it is. */
  readonly title: string;
  /** What to do when the string is lost. */
  readonly ifLost: string;
}

export const isNewString = (sent: unknown): sent is NewString =>
  typeof sent === 'object' && sent !== null && 'keyString' in sent;

/** Shows a new string, and asks before it disappears. */
export function ShownOnce(props: { of: NewString; onStored: () => void }) {
  const { keyString, title, ifLost } = props.of;
  useQuestionBeforeLeaving(QUESTION);
  const close = (): void => {
    if (mayLeave()) props.onStored();
  };
  return (
    <Dialog title={title} onClose={close}>
      <p>
        <strong>Store this string now: it is shown only once.</strong>
      </p>
      <Copy text={keyString} />
      <p>{ifLost}</p>
      <div class="actions">
        <Button title="I have stored it" kind="main" onClick={props.onStored} />
      </div>
    </Dialog>
  );
}

/** Shows a key string that can be copied, also where the page has no secure context. */
function Copy({ text }: { text: string }) {
  const input = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    input.current?.select();
    // The clipboard exists only in a secure context, and may be forbidden there.
    const written = navigator.clipboard as Clipboard | undefined;
    const isWritten = await written?.writeText(text).then(
      () => true,
      () => false,
    );
    // oxlint-disable-next-line typescript/no-deprecated -- nothing else copies without one
    setCopied(isWritten === true || document.execCommand('copy'));
  };
  return (
    <div class="copy">
      <input ref={input} readOnly value={text} aria-label="Key string" spellcheck={false} />
      <Button title="Copy" kind="main" onClick={() => void copy()} />
      <span role="status">{isCopied ? 'Copied' : ''}</span>
    </div>
  );
}
