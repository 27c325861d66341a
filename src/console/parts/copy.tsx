import { useRef, useState } from 'preact/hooks';

/** Shows a text that can be copied, also where the page has no secure context. */
export function Copy({ text, label }: { text: string; label: string }) {
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
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else copies without one
    setCopied(isWritten === true || document.execCommand('copy'));
  };
  return (
    <div class="copy">
      <input ref={input} readOnly value={text} aria-label={label} spellcheck={false} />
      <button type="button" onClick={() => void copy()}>
        Copy
      </button>
      <span role="status">{isCopied ? 'Copied' : ''}</span>
    </div>
  );
}
