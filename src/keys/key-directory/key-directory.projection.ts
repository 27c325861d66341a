import type { Recorded } from '../../kernel/event.js';
import type { Documents, Projection } from '../../projections/projection.js';
import { recount } from '../../projections/rank-counts.js';
import { recountScope } from '../../projections/scope-counts.js';
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

/** A field by whose value a list selects keys. */
export type ScopeField =
  'account_id' | 'workspace_id' | 'creator_user_id' | 'external_user' | 'name';

/** The keys of an account that have a given value in a given field. The directory counts the keys of each scope. */
export interface KeyScope {
  readonly accountId: string;
  readonly field: ScopeField;
  readonly value: string;
}

/**
 * The key directory: every API key by its hash, and counts of the keys in each scope. Because of the counts, a page at
 * any depth is one range of ordinals, and a total is a stored number, however many keys are disabled or deleted. An
 * index holds the enabled and the disabled keys of a scope in two separate ranges.
 */
export const keyDirectory: Projection<KeyEvent> = {
  name: 'key-directory',
  version: 1,
  events: keyEvents,
  collections: {
    keys: {
      indexes: {
        by_account_id: ['account_id', 'disabled', 'ordinal'],
        by_workspace_id: ['workspace_id', 'disabled', 'ordinal'],
        by_creator_user_id: ['account_id', 'creator_user_id', 'disabled', 'ordinal'],
        by_external_user: ['account_id', 'external_user', 'disabled', 'ordinal'],
        by_name: ['account_id', 'name', 'disabled', 'ordinal'],
      },
    },
    chunks: { indexes: {} },
    scopes: { indexes: {} },
    accounts: { indexes: {} },
  },
  evolve,
};

/** Returns the values of a scope for the fields before `disabled` in its index. The index is `by_` plus the field. */
export function indexedBy({ accountId, field, value }: KeyScope): Readonly<Record<string, string>> {
  return isId(field) ? { [field]: value } : { account_id: accountId, [field]: value };
}

/** Returns the document key of a scope. Account ids have a fixed length, so no two scopes have the same key. */
export function scopeKey({ accountId, field, value }: KeyScope): string {
  return isId(field) ? `${field}/${value}` : `${field}/${accountId}/${value}`;
}

/** Whether each value of a field belongs to one account alone. */
function isId(field: ScopeField): boolean {
  return field === 'account_id' || field === 'workspace_id';
}

function evolve(documents: Documents, event: Recorded<KeyEvent>): void {
  const step = stepOf(documents, event);
  if (!step) return;
  const { hash } = event.data;
  if (event.type === 'ApiKeyCreated' && step.after) {
    documents.create('keys', hash, step.after);
    documents.set('accounts', event.data.account_id, { created: step.ordinal + 1 });
  } else if (step.after) {
    documents.set('keys', hash, step.after);
  } else {
    documents.remove('keys', hash);
  }
  for (const field of FIELDS) countIn(documents, field, step);
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

const FIELDS: readonly ScopeField[] = [
  'account_id',
  'workspace_id',
  'creator_user_id',
  'external_user',
  'name',
];

/** Updates the counts of the scopes, for one field, that the key is in before or after a step. */
function countIn(documents: Documents, field: ScopeField, { ordinal, before, after }: Step): void {
  const count = (document: KeyDocument, all: number, enabled: number): void => {
    const { account_id: accountId, [field]: value } = document;
    if (value === null) return;
    // Scopes of accounts and workspaces are few and may be large. Other scopes are very many and mostly small.
    const change = isId(field) ? recount : recountScope;
    const scope = scopeKey({ accountId, field, value });
    change(documents, 'scopes', scope, ordinal, { all, enabled });
  };
  if (before && before[field] === after?.[field]) {
    const enabled = Number(before.disabled) - Number(after.disabled);
    if (enabled !== 0) count(after, 0, enabled);
    return;
  }
  if (before) count(before, -1, before.disabled ? 0 : -1);
  if (after) count(after, 1, after.disabled ? 0 : 1);
}
