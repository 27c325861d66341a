import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

let isFirst = true;

/** A page with its title. Its heading gets the focus, so that the keyboard goes on from there. */
export function Page({
  title,
  actions,
  children,
}: {
  title: string;
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · Keyledger`;
  }, [title]);
  return (
    <>
      <div class="title">
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h1>
        <div class="actions">{actions}</div>
      </div>
      {children}
    </>
  );
}
