import type { Recorded } from '../../kernel/event.js';
import type { Documents, Projection } from '../../projections/projection.js';
import { recount } from '../../projections/rank-counts.js';
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

/** Whose keys a list shows: those of one workspace, or of every workspace of an account. */
export interface KeyScope {
  readonly kind: 'account' | 'workspace';
  readonly id: string;
}

/**
 * Every API key by its hash, as its own fold has it, and counts by rank in each scope. A page is a range of ordinals and a
 * total a stored number, at any depth, however many keys are disabled or deleted.
 */
export const keyDirectory: Projection<KeyEvent> = {
  name: 'key-directory',
  version: 4,
  events: keyEvents,
  collections: {
    keys: {
      indexes: {
        of_account: ['account_id', 'ordinal'],
        enabled_of_account: ['account_id', 'disabled', 'ordinal'],
        of_workspace: ['workspace_id', 'ordinal'],
        enabled_of_workspace: ['workspace_id', 'disabled', 'ordinal'],
      },
    },
    chunks: { indexes: {} },
    scopes: { indexes: {} },
    accounts: { indexes: {} },
  },
  evolve,
};

export function scopeKey({ kind, id }: KeyScope): string {
  return `${kind}/${id}`;
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
  for (const { scope, ...counts } of differences(step)) {
    recount(documents, 'scopes', scope, step.ordinal, counts);
  }
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

interface Difference {
  readonly scope: string;
  readonly all: number;
  readonly enabled: number;
}

/** By how much a step changes the counts, for each scope that it changes. */
function differences({ before, after }: Step): Difference[] {
  const byScope = new Map<string, Difference>();
  const add = (document: KeyDocument | null, sign: 1 | -1): void => {
    if (!document) return;
    for (const scope of scopesOf(document)) {
      const { all, enabled } = byScope.get(scope) ?? { all: 0, enabled: 0 };
      const change = document.disabled ? 0 : sign;
      byScope.set(scope, { scope, all: all + sign, enabled: enabled + change });
    }
  };
  add(before, -1);
  add(after, 1);
  return [...byScope.values()].filter(({ all, enabled }) => all !== 0 || enabled !== 0);
}

function scopesOf({ account_id, workspace_id }: Key): string[] {
  return [
    scopeKey({ kind: 'account', id: account_id }),
    scopeKey({ kind: 'workspace', id: workspace_id }),
  ];
}
