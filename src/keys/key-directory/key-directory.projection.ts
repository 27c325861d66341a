import type { Recorded } from '../../kernel/event.js';
import type { Documents, Projection } from '../../projections/projection.js';
import { recount } from '../../projections/rank-counts.js';
import { recountScope } from '../../projections/scope-counts.js';
import { key, type Key } from '../domain/key.js';
import { type KeyEvent, keyEvents } from '../domain/key.events.js';

export interface KeyDocument extends Key, Record<string, unknown> {
  /** Place in the account's order of creation, from 0. Deleted keys leave gaps. */
  readonly ordinal: number;
}

export interface CreationsDocument extends Record<string, unknown> {
  /** How many keys it has created, deleted ones included; also the ordinal of the next one. */
  readonly created: number;
}

/** The fields by whose values keys are found. */
export type ScopeField =
  'account_id' | 'workspace_id' | 'creator_user_id' | 'external_user' | 'name';

/** Keys that a list shows: those of an account that have one value of a field. Each such list is counted by itself. */
export interface KeyScope {
  readonly accountId: string;
  readonly field: ScopeField;
  readonly value: string;
}

/**
 * Every API key by its hash, as its own fold has it, and counts by rank in each scope. A page is a range of ordinals and a
 * total a stored number, at any depth, however many keys are disabled or deleted. An index has the enabled and the disabled
 * keys of a scope as two runs.
 */
export const keyDirectory: Projection<KeyEvent> = {
  name: 'key-directory',
  version: 5,
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

/** The values that the index `by_` and its field has before `disabled`, for the keys of a scope. */
export function indexedBy({ accountId, field, value }: KeyScope): Readonly<Record<string, string>> {
  return isId(field) ? { [field]: value } : { account_id: accountId, [field]: value };
}

/** The key of the documents of a scope. The id of an account has a fixed length, so no two are the same. */
export function scopeKey({ accountId, field, value }: KeyScope): string {
  return isId(field) ? `${field}/${value}` : `${field}/${accountId}/${value}`;
}

/** Whether no two accounts have the same values of a field. */
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

/** The key before and after an event; null before it was created and after it was deleted. */
interface Step {
  readonly ordinal: number;
  readonly before: KeyDocument | null;
  readonly after: KeyDocument | null;
}

/** Null for an event of a missing key, which changes nothing. */
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

/** Changes the counts of the scopes of a field that a step changes. */
function countIn(documents: Documents, field: ScopeField, { ordinal, before, after }: Step): void {
  const count = (document: KeyDocument, all: number, enabled: number): void => {
    const { account_id: accountId, [field]: value } = document;
    if (value === null) return;
    // Accounts and workspaces are few, and may be large.
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
