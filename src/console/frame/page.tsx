import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface Titled {
  title: string;
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

let isFirst = true;

/** A page with its title. Its heading gets the focus, so that the keyboard goes on from there. */
export function Page({ title, actions, children }: Titled) {
  const heading = useRef<HTMLHeadingElement>(null);
  // At once, since a later focus would take it from a field in which somebody types already.
  useLayoutEffect(() => {
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

/** A part of a page with a title of its own. */
export function Section({ title, actions, children }: Titled) {
  return (
    <section>
      <div class="title">
        <h2 tabIndex={-1}>{title}</h2>
        <div class="actions">{actions}</div>
      </div>
      {children}
    </section>
  );
}
