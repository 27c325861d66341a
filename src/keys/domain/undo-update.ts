import type { Key } from './key.js';
import type { KeyEvent } from './key.events.js';
import { type KeyChanges, movedTo, SET_FIELDS, updateKey } from './key-updates.js';

/** A key before and after an update that moved it. */
export interface Moved {
  readonly before: Key;
  readonly after: Key;
}

/** What is there now of the workspaces that a key may be in when its move is taken back. */
export interface Homes {
  /** Whether the workspace that the key is in exists. */
  readonly current: boolean;
  /** Whether the one that it left exists. */
  readonly previous: boolean;
  readonly defaultId: string;
}

/**
 * Takes back an update that moved a key into a workspace that was just being deleted (ADR 12). What others changed
 * since then stays. A key whose both workspaces are gone goes to the default one, disabled: nobody decided that it may
 * be used there.
 */
export function undoUpdate(key: Key, { before, after }: Moved, homes: Homes): KeyEvent[] {
  const ours = SET_FIELDS.filter((field) => key[field] === after[field]);
  const earlier: KeyChanges = Object.fromEntries(ours.map((field) => [field, before[field]]));
  const fields = updateKey(key, earlier);
  if (homes.current) return fields;
  if (homes.previous) return [movedTo(key, before.workspace_id), ...fields];
  const disabled = updateKey(key, { disabled: true });
  const others = fields.filter(({ type }) => type !== 'ApiKeyEnabled' && type !== 'ApiKeyDisabled');
  return [movedTo(key, homes.defaultId), ...others, ...disabled];
}
