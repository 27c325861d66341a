import type { Recorded } from '../../kernel/event.js';
import type { Change, DocumentRef, Lookup, Projection } from '../../projections/projection.js';
import { blockOf, chunkOf, recounted } from '../../projections/rank-counts.js';
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

/** How many keys stand in each run of ordinals: chunks in a scope's document, blocks in a chunk's. */
export interface CountsDocument extends Record<string, unknown> {
  readonly all: readonly number[];
  readonly enabled: readonly number[];
}

/** Whose keys a list shows: those of one workspace, or of every workspace of an account. */
export interface KeyScope {
  readonly kind: 'account' | 'workspace';
  readonly id: string;
}

/**
 * Every API key by its hash, as its own fold has it, and counts by rank in each scope: a page is a range of ordinals
 * and a total a stored number, at any depth and whatever is disabled or deleted.
 */
export const keyDirectory: Projection<KeyEvent> = {
  name: 'key-directory',
  version: 3,
  continuesFrom: 2,
  events: keyEvents,
  collections: {
    keys: {
      indexes: {
        of_account: ['account_id', 'ordinal'],
        enabled_of_account: ['account_id', 'disabled', 'ordinal'],
        of_workspace: ['workspace_id', 'ordinal'],
        enabled_of_workspace: ['workspace_id', 'disabled', 'ordinal'],
      },
      shared: ['account_id', 'workspace_id'],
    },
    chunks: { indexes: {} },
    scopes: { indexes: {} },
    accounts: { indexes: {} },
  },
  touches,
  alsoTouches,
  creates,
  evolve,
};

export function scopeKey({ kind, id }: KeyScope): string {
  return `${kind}/${id}`;
}

export function chunkKey(scope: string, chunk: number): string {
  return `${scope}/${chunk}`;
}

function touches(event: Recorded<KeyEvent>): DocumentRef[] {
  return event.type === 'ApiKeyCreated'
    ? [{ collection: 'accounts', key: event.data.account_id }]
    : [{ collection: 'keys', key: event.data.hash }];
}

function creates(event: Recorded<KeyEvent>): DocumentRef[] {
  return event.type === 'ApiKeyCreated' ? [{ collection: 'keys', key: event.data.hash }] : [];
}

function alsoTouches(lookup: Lookup, event: Recorded<KeyEvent>): DocumentRef[] {
  const step = stepOf(lookup, event);
  if (!step) return [];
  return differences(step).flatMap(({ scope }) => [
    { collection: 'chunks', key: chunkKey(scope, chunkOf(step.ordinal)) },
    { collection: 'scopes', key: scope },
  ]);
}

function evolve(lookup: Lookup, event: Recorded<KeyEvent>): Change[] {
  const step = stepOf(lookup, event);
  if (!step) return [];
  const { after, ordinal } = step;
  return [
    { collection: 'keys', key: event.data.hash, document: after },
    ...recount(lookup, step),
    ...(event.type === 'ApiKeyCreated'
      ? [
          {
            collection: 'accounts',
            key: event.data.account_id,
            document: { created: ordinal + 1 },
          },
        ]
      : []),
  ];
}

/** What an event makes of a key; null before it was created and after it was deleted. */
interface Step {
  readonly ordinal: number;
  readonly before: KeyDocument | null;
  readonly after: KeyDocument | null;
}

/** Null for an event of a key that is not there, which changes nothing. */
function stepOf(lookup: Lookup, event: Recorded<KeyEvent>): Step | null {
  const before = (lookup('keys', event.data.hash) as KeyDocument | undefined) ?? null;
  const state = key.evolve(before, event);
  const after = state === 'deleted' ? null : state;
  if (!before && !after) return null;
  const ordinal = before?.ordinal ?? nextOrdinal(lookup, event.metadata.account_id);
  return { ordinal, before, after: after && { ordinal, ...after } };
}

function nextOrdinal(lookup: Lookup, accountId: string): number {
  return (lookup('accounts', accountId) as CreationsDocument | undefined)?.created ?? 0;
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

function recount(lookup: Lookup, step: Step): Change[] {
  const chunk = chunkOf(step.ordinal);
  const block = blockOf(step.ordinal);
  return differences(step).flatMap(({ scope, all, enabled }) => {
    const recountedIn = (collection: string, name: string, index: number): Change => {
      const counts = lookup(collection, name) as CountsDocument | undefined;
      const document: CountsDocument = {
        all: recounted(counts?.all, index, all),
        enabled: recounted(counts?.enabled, index, enabled),
      };
      return { collection, key: name, document };
    };
    return [
      recountedIn('chunks', chunkKey(scope, chunk), block),
      recountedIn('scopes', scope, chunk),
    ];
  });
}
