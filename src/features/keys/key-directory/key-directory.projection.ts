import type { Recorded } from '../../../kernel/event.js';
import type { Documents, Projection } from '../../../event-sourcing/projections/projection.js';
import { recount } from '../../../event-sourcing/projections/rank-counts.js';
import { key, type Key } from '../domain/key.js';
import { type KeyEvent, keyEvents } from '../domain/key.events.js';

export interface KeyDocument extends Key, Record<string, unknown> {
  /** The place of the key in the account's order of creation, from 0. Deleted keys leave gaps. */
  readonly ordinal: number;
}

export interface CreationsDocument extends Record<string, unknown> {
  /** The number of keys that the account has created, deleted keys included. It is also the ordinal of the next key. */
  readonly created: number;
}

/** The numbers of keys in a filtered list. A list without keys has no document. */
export interface TotalsDocument extends Record<string, unknown> {
  readonly all: number;
  readonly enabled: number;
}

/** A field whose value a list demands of its keys, with that value. */
export interface KeyFilter {
  readonly field: 'creator_user_id' | 'external_user';
  readonly value: string;
}

/** A list of keys: the keys of an account or of a workspace, or those of them that a filter selects. */
export interface KeyScope {
  readonly owner: 'account_id' | 'workspace_id';
  readonly id: string;
  readonly filter?: KeyFilter | undefined;
}

const OWNERS = ['account_id', 'workspace_id'] as const;
const FILTERED = ['creator_user_id', 'external_user'] as const;

/**
 * The key directory: every API key by its hash, and counts of the keys in each list. Accounts and workspaces have counts
 * by rank, so a page at any depth is one range of ordinals. A filtered list has its totals alone, and a page skips keys
 * of its index. An index holds the enabled and the disabled keys of a list in two separate ranges.
 */
export const keyDirectory: Projection<KeyEvent> = {
  name: 'key-directory',
  version: 3,
  events: keyEvents,
  collections: {
    keys: {
      indexes: {
        account_id: ['account_id', 'disabled', 'ordinal'],
        workspace_id: ['workspace_id', 'disabled', 'ordinal'],
        account_id_creator_user_id: ['account_id', 'creator_user_id', 'disabled', 'ordinal'],
        account_id_external_user: ['account_id', 'external_user', 'disabled', 'ordinal'],
        workspace_id_creator_user_id: ['workspace_id', 'creator_user_id', 'disabled', 'ordinal'],
        workspace_id_external_user: ['workspace_id', 'external_user', 'disabled', 'ordinal'],
      },
    },
    scopes: { indexes: {} },
    totals: { indexes: {} },
    accounts: { indexes: {} },
  },
  evolve,
};

/** Returns the index of the keys in a list, and the values of the fields before `disabled` in it. */
export function indexOf({ owner, id, filter }: KeyScope): {
  readonly index: string;
  readonly equals: Readonly<Record<string, string>>;
} {
  if (!filter) return { index: owner, equals: { [owner]: id } };
  const { field, value } = filter;
  return { index: `${owner}_${field}`, equals: { [owner]: id, [field]: value } };
}

/** Returns the key of the counts of a list. Ids have a fixed length, so no two lists have the same key. */
export function scopeKey({ owner, id, filter }: KeyScope): string {
  return filter ? `${owner}/${id}/${filter.field}/${filter.value}` : `${owner}/${id}`;
}

function evolve(documents: Documents, event: Recorded<KeyEvent>): void {
  const step = stepOf(documents, event);
  if (!step) return;
  const { hash } = event.data;
  if (event.type === 'ApiKeyCreated' && step.after) {
    if (!documents.create('keys', hash, step.after)) return;
    documents.set('accounts', event.data.account_id, { created: step.ordinal + 1 });
  } else if (step.after) {
    documents.set('keys', hash, step.after);
  } else {
    documents.remove('keys', hash);
  }
  count(documents, step);
}

/** The key before and after an event. `before` is null for a creation, and `after` is null for a deletion. */
interface Step {
  readonly ordinal: number;
  readonly before: KeyDocument | null;
  readonly after: KeyDocument | null;
}

/** Returns the step of an event; null when the directory lacks the key, because the event then changes nothing. */
function stepOf(documents: Documents, event: Recorded<KeyEvent>): Step | null {
  const before =
    event.type === 'ApiKeyCreated'
      ? null
      : (documents.get<KeyDocument>('keys', event.data.hash) ?? null);
  const state = key.evolve(before, event);
  const after = state === 'deleted' ? null : state;
  if (!before && !after) return null;
  const ordinal = before?.ordinal ?? nextOrdinal(documents, event.metadata.account_id);
  return { ordinal, before, after: after && { ordinal, ...after } };
}

function nextOrdinal(documents: Documents, accountId: string): number {
  return documents.get<CreationsDocument>('accounts', accountId)?.created ?? 0;
}

/** Updates the counts of every list that the key is in before or after a step. */
function count(documents: Documents, { ordinal, before, after }: Step): void {
  const changes = new Map<string, { scope: KeyScope; all: number; enabled: number }>();
  const add = (document: KeyDocument | null, sign: 1 | -1): void => {
    for (const scope of document ? scopesOf(document) : []) {
      const name = scopeKey(scope);
      const { all, enabled } = changes.get(name) ?? { all: 0, enabled: 0 };
      const change = { all: all + sign, enabled: enabled + (document?.disabled ? 0 : sign) };
      changes.set(name, { scope, ...change });
    }
  };
  add(before, -1);
  add(after, 1);
  for (const [name, { scope, ...change }] of changes) {
    if (change.all === 0 && change.enabled === 0) continue;
    if (scope.filter) addToTotals(documents, name, change);
    else recount(documents, 'scopes', name, ordinal, change);
  }
}

function scopesOf(document: KeyDocument): KeyScope[] {
  return OWNERS.flatMap((owner) => {
    const scope = { owner, id: document[owner] };
    const filtered = FILTERED.flatMap((field) => {
      const value = document[field];
      return value === null ? [] : [{ ...scope, filter: { field, value } }];
    });
    return [scope, ...filtered];
  });
}

function addToTotals(
  documents: Documents,
  name: string,
  change: { readonly all: number; readonly enabled: number },
): void {
  const kept = documents.get<TotalsDocument>('totals', name);
  const all = (kept?.all ?? 0) + change.all;
  const enabled = (kept?.enabled ?? 0) + change.enabled;
  if (all === 0) documents.remove('totals', name);
  else documents.set('totals', name, { all, enabled });
}
