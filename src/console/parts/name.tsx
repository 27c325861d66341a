import { Link } from 'wouter-preact';

/** A name or an id that somebody chose, in one line, whatever it contains. */
export function Name({ of: name, href }: { of: string; href?: string }) {
  const attributes = { class: 'name', dir: 'auto', title: name } as const;
  if (href === undefined) return <span {...attributes}>{name}</span>;
  return (
    <Link href={href} {...attributes}>
      {name}
    </Link>
  );
}
