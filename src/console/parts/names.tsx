import { Link } from 'wouter-preact';
import { useName } from '../api/names.js';
import { findKey, findWorkspace } from '../api/records.js';
import { addressOf } from '../routing/place.js';

/** A name or an id that somebody chose, in one line, whatever it contains. */
export function Name({ of: name, href }: { of: string; href?: string | undefined }) {
  const attributes = { class: 'name', dir: 'auto', title: name } as const;
  // Quotation marks show a name of which nothing is seen.
  const text = /[^\s\p{C}]/u.test(name) ? name : `“${name}”`;
  if (href === undefined) return <span {...attributes}>{text}</span>;
  return (
    <Link href={href} {...attributes}>
      {text}
    </Link>
  );
}

const nameOfKey = async (hash: string): Promise<string | null> =>
  (await findKey(hash))?.name ?? null;

/** The name of a key. While it is not known, and of a deleted key, this is the hash. */
export function KeyName({ hash }: { hash: string }) {
  const name = useName(hash, nameOfKey);
  const events = addressOf('/audit', { target_type: 'key', target_id: hash });
  return <Name of={name ?? hash} href={name === null ? events : `/keys/${hash}`} />;
}

const nameOfWorkspace = async (id: string): Promise<string | null> =>
  (await findWorkspace(id))?.name ?? null;

/** The name of a workspace, or its id while the name is not known. */
export function WorkspaceName({ id }: { id: string | null }) {
  const name = useName(id, nameOfWorkspace);
  if (id === null) return <span class="none">–</span>;
  if (name === null) return <span class="none">deleted</span>;
  return <span class="name">{name ?? id.slice(0, 8)}</span>;
}
