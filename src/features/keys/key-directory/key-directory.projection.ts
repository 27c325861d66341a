import type { EventOf, Recorded } from '../../../kernel/event.js';
import type { Documents, Projection } from '../../../event-sourcing/projections/projection.js';
import { countsAfter } from '../../../event-sourcing/projections/rank-counts.js';
import { evolveKey, type Key } from '../domain/key.js';
import { apiKeyStringReserved, type KeyEvent, keyEvents } from '../domain/key.events.js';

type StringReserved = EventOf<typeof apiKeyStringReserved>;

export interface KeyDocument extends Key {
  /** The place of the key in the account's order of creation, from 0. Deleted keys leave gaps. */
  readonly ordinal: number;
}

export interface KeyCollections {
  readonly keys: KeyDocument;
  /** The key of each later string, by the hash of the string. Those of deleted keys stay. */
  readonly key_strings: { readonly key_hash: string };
  /** Keys of a list in each block of ordinals (`rank-counts.ts`), all and without disabled ones. */
  readonly key_counts: { readonly all: readonly number[]; readonly enabled: readonly number[] };
  /** How many keys an account has ever created. It is also the ordinal of the next key. */
  readonly key_creations: { readonly created: number };
}

/** The account or the workspace that a list of keys is of. */
export interface KeyScope {
  readonly owner: 'account_id' | 'workspace_id';
  readonly id: string;
}

const OWNERS = ['account_id', 'workspace_id'] as const;

/**
 * Every API key by its hash, and counts of the keys of each account and workspace. The counts are
 * by rank, so a page at any depth is one range of ordinals. A list that is filtered by another
 * field counts and skips keys of its index. An index holds enabled and disabled keys in two ranges.
 */
export const keyDirectory: Projection<KeyEvent | StringReserved, KeyCollections> = {
  name: 'key-directory',
  version: 9,
  events: [...keyEvents, apiKeyStringReserved],
  collections: {
    keys: {
      indexes: {
        account_id: ['account_id', 'disabled', 'ordinal'],
        workspace_id: ['workspace_id', 'disabled', 'ordinal'],
        account_id_creator_user_id: ['account_id', 'creator_user_id', 'disabled', 'ordinal'],
        account_id_external_user: ['account_id', 'external_user', 'disabled', 'ordinal'],
        account_id_expires_at: ['account_id', 'disabled', 'expires_at', 'ordinal'],
        workspace_id_creator_user_id: ['workspace_id', 'creator_user_id', 'disabled', 'ordinal'],
        workspace_id_external_user: ['workspace_id', 'external_user', 'disabled', 'ordinal'],
        workspace_id_expires_at: ['workspace_id', 'disabled', 'expires_at', 'ordinal'],
      },
      recurring: ['account_id', 'workspace_id', 'creator_user_id'],
    },
    key_strings: { indexes: {} },
    key_counts: { indexes: {} },
    key_creations: { indexes: {} },
  },
  evolve,
};

/** Returns the key of a list's counts: unique, because ids have a fixed length. */
export function scopeKey({ owner, id }: KeyScope): string {
  return `${owner}/${id}`;
}

function evolve(
  documents: Documents<KeyCollections>,
  event: Recorded<KeyEvent | StringReserved>,
): void {
  if (event.type === 'ApiKeyStringReserved') {
    const { string_hash, key_hash } = event.data;
    documents.create('key_strings', string_hash, { key_hash });
    return;
  }
  const step = stepOf(documents, event);
  if (!step) return;
  const { hash } = event.data;
  if (event.type === 'ApiKeyCreated' && step.after) {
    documents.create('keys', hash, step.after);
    documents.set('key_creations', event.data.account_id, { created: step.ordinal + 1 });
  } else if (step.after) {
    documents.set('keys', hash, step.after);
  } else {
    documents.remove('keys', hash);
  }
  recount(documents, step);
}

/** A key before and after an event: `before` is null for a creation, `after` for a deletion. */
interface Step {
  readonly ordinal: number;
  readonly before: KeyDocument | null;
  readonly after: KeyDocument | null;
}

/** Returns the step of an event; null when the directory lacks the key: nothing changes then. */
function stepOf(documents: Documents<KeyCollections>, event: Recorded<KeyEvent>): Step | null {
  const before =
    event.type === 'ApiKeyCreated' ? null : (documents.get('keys', event.data.hash) ?? null);
  const state = evolveKey(before, event);
  const after = state === 'deleted' ? null : state;
  if (!before && !after) return null;
  const ordinal = before?.ordinal ?? nextOrdinal(documents, event.metadata.account_id);
  return { ordinal, before, after: after && { ordinal, ...after } };
}

function nextOrdinal(documents: Documents<KeyCollections>, accountId: string): number {
  return documents.get('key_creations', accountId)?.created ?? 0;
}

function recount(documents: Documents<KeyCollections>, { ordinal, before, after }: Step): void {
  for (const scope of new Set([...scopesOf(before), ...scopesOf(after)])) {
    const then = countIn(scope, before);
    const now = countIn(scope, after);
    if (now.all === then.all && now.enabled === then.enabled) continue;
    const counts = documents.get('key_counts', scope);
    documents.set('key_counts', scope, {
      all: countsAfter(counts?.all, ordinal, now.all - then.all),
      enabled: countsAfter(counts?.enabled, ordinal, now.enabled - then.enabled),
    });
  }
}

/** Returns how often the counts of a list have the key: once or never. */
function countIn(scope: string, document: KeyDocument | null): { all: number; enabled: number } {
  const all = scopesOf(document).includes(scope) ? 1 : 0;
  return { all, enabled: document?.disabled ? 0 : all };
}

function scopesOf(document: KeyDocument | null): string[] {
  return document ? OWNERS.map((owner) => scopeKey({ owner, id: document[owner] })) : [];
}
