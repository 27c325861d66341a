import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useSession } from '../api/session.js';

/** A dialog in front of the page. Escape closes it. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const isHidden = useSession().state === 'lost';
  // Before the browser draws or takes a key, so that what is typed next goes to the dialog.
  useLayoutEffect(() => {
    const shown = dialog.current;
    // An open dialog is in front of everything, so it would block the page to sign in.
    if (!isHidden) shown?.showModal();
    // This gives the focus back to what opened the dialog.
    return () => shown?.close();
  }, [isHidden]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onClose={() => {
        // The browser lets no page refuse a second Escape, so the dialog is opened again.
        if (dialog.current === null || isHidden) return;
        dialog.current.showModal();
        props.onClose();
      }}
    >
      <article>
        <h2 id={id}>{props.title}</h2>
        {props.children}
      </article>
    </dialog>
  );
}
