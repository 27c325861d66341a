import { useLayoutEffect, useRef } from 'preact/hooks';

/** A button that does something. When it disappears, its title has the focus that it had. */
export function Button(props: {
  title: string;
  onClick: () => void;
  kind?: 'main' | 'secondary' | 'dangerous';
  /** What it is about, for whoever does not see what the button is beside. */
  of?: string | undefined;
  isOff?: boolean;
  /** Whether it is doing it already. */
  isBusy?: boolean;
  /** Whether the focus of a dialog begins on it. */
  isFocused?: boolean | undefined;
}) {
  const { title, kind = 'secondary', of: what } = props;
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(
    () => () => {
      if (document.activeElement !== button.current) return;
      button.current?.closest('section, main')?.querySelector<HTMLElement>('h1, h2')?.focus();
    },
    [],
  );
  return (
    <button
      ref={button}
      type="button"
      class={kind === 'main' ? undefined : kind}
      aria-label={what === undefined ? undefined : `${title} ${what}`}
      disabled={props.isOff}
      autofocus={props.isFocused}
      aria-disabled={props.isBusy ? 'true' : undefined}
      onClick={props.onClick}
    >
      {title}
    </button>
  );
}
