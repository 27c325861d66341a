import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useRights } from '../frame/who.js';

/** A button that opens the dialog of a change. It is there only for those who may make changes. */
export function Control({
  title,
  of: what,
  kind = 'secondary',
  children: dialog,
}: {
  title: string;
  /** What the change is about, for whoever does not see the row that the button is in. */
  of?: string;
  kind?: 'main' | 'secondary' | 'dangerous';
  children: (close: () => void) => ComponentChildren;
}) {
  const { mayChange } = useRights();
  const [isOpen, setOpen] = useState(false);
  if (!mayChange) return null;
  return (
    <>
      <button
        type="button"
        class={kind === 'main' ? undefined : kind}
        aria-label={what === undefined ? undefined : `${title} ${what}`}
        onClick={() => setOpen(true)}
      >
        {title}
      </button>
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}
