import type { Aggregate } from '../../../kernel/aggregate.js';
import { notFound, Refusal } from '../../../kernel/errors.js';
import type { Happened } from '../../../kernel/event.js';
import type { LimitReset } from '../../../kernel/limit-reset.js';
import { bytesOfTexts } from '../../../kernel/sizes.js';
import { bytesOfStrings, stringsAfter, type WithStrings } from './key-strings.js';
import {
  type KeyEvent,
  keyEvents,
  type ReservationEvent,
  reservationEvents,
} from './key.events.js';

export function keyStream(hash: string): string {
  return `key-${hash}`;
}

/** Returns the hash of the key that a stream belongs to; undefined for every other stream. */
export function hashOfKeyStream(stream: string): string | undefined {
  return stream.startsWith('key-') ? stream.slice('key-'.length) : undefined;
}

export interface Key extends WithStrings {
  readonly hash: string;
  readonly account_id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly disabled: boolean;
  /** The limit in USD; null for no limit. */
  readonly limit: number | null;
  readonly limit_reset: LimitReset | null;
  readonly include_byok_in_limit: boolean;
  readonly creator_user_id: string;
  readonly external_user: string | null;
  /** The time of the expiry; null for none. All times of a key are in ISO 8601 UTC. */
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string | null;
}

/** A string that something else than an API key of this hash has. */
export interface Reservation {
  readonly account_id: string;
  /** The key whose later string it is; null for the string of a management key. */
  readonly key_hash: string | null;
}

/** The state of the stream of a string, which says whose the string is; null for nobody's. */
export type KeyState = Key | Reservation | 'deleted' | null;

export function isKey(state: KeyState): state is Key {
  return state !== null && state !== 'deleted' && !('key_hash' in state);
}

function isReservation(state: KeyState): state is Reservation {
  return state !== null && state !== 'deleted' && 'key_hash' in state;
}

/** Returns the hash of the key whose later string a string is; null for any other string. */
export function keyOfLaterString(state: KeyState): string | null {
  return isReservation(state) ? state.key_hash : null;
}

/** Returns the account for whose management key a string is reserved; null for any other string. */
export function accountOfManagementKey(state: KeyState): string | null {
  return isReservation(state) && state.key_hash === null ? state.account_id : null;
}

function evolve(state: KeyState, event: Happened<KeyEvent | ReservationEvent>): KeyState {
  if (event.type === 'ManagementKeyReserved') {
    const { account_id } = event.data;
    return { account_id, key_hash: null };
  }
  if (event.type === 'ApiKeyStringReserved') {
    const { account_id, key_hash } = event.data;
    return { account_id, key_hash };
  }
  return isKey(state) || state === null ? evolveKey(state, event) : state;
}

/** Returns an API key after an event. @param key null before the creation. */
export function evolveKey(key: Key | null, event: Happened<KeyEvent>): Key | 'deleted' | null {
  const { occurred_at } = event.metadata;
  if (event.type === 'ApiKeyCreated') {
    const { external, ...created } = event.data;
    return {
      disabled: false,
      external_user: external?.user ?? null,
      created_at: occurred_at,
      updated_at: null,
      ...created,
    };
  }
  if (key === null) return null;
  if (event.type === 'ApiKeyDeleted') return 'deleted';
  if (event.type === 'ApiKeyStringAdded' || event.type === 'ApiKeyStringEnded') {
    const strings = stringsAfter(key, event);
    return strings ? { ...key, strings } : key;
  }
  return { ...key, ...changedFields(event), updated_at: occurred_at };
}

type ChangeEvent = Exclude<
  Happened<KeyEvent>,
  { type: 'ApiKeyCreated' | 'ApiKeyDeleted' | 'ApiKeyStringAdded' | 'ApiKeyStringEnded' }
>;

function changedFields(event: ChangeEvent): Partial<Key> {
  switch (event.type) {
    case 'ApiKeyRenamed':
      return { name: event.data.name };
    case 'ApiKeyDisabled':
      return { disabled: true };
    case 'ApiKeyEnabled':
      return { disabled: false };
    case 'ApiKeyLimitChanged':
      return { limit: event.data.limit };
    case 'ApiKeyLimitResetChanged':
      return { limit_reset: event.data.limit_reset };
    case 'ApiKeyByokInLimitChanged':
      return { include_byok_in_limit: event.data.include_byok_in_limit };
    case 'ApiKeyExpiryChanged':
      return { expires_at: event.data.expires_at };
    case 'ApiKeyMovedToWorkspace':
      return { workspace_id: event.data.workspace_id };
    default:
      return event satisfies never;
  }
}

/** The estimated bytes of a key in memory, without its strings. */
const PLAIN_KEY_SIZE = 1_000;

export const key: Aggregate<KeyState, KeyEvent | ReservationEvent> = {
  streamOf: keyStream,
  events: [...keyEvents, ...reservationEvents],
  initial: null,
  evolve,
  sizeOf: (state) => {
    if (state === null || state === 'deleted') return 1;
    if (!isKey(state)) return PLAIN_KEY_SIZE + bytesOfTexts(state);
    // Its one event is read again as fast as the log says that nothing follows.
    const isUnchanged = state.updated_at === null && state.strings === undefined;
    return isUnchanged ? Infinity : PLAIN_KEY_SIZE + bytesOfTexts(state) + bytesOfStrings(state);
  },
};

/**
 * Returns the key if it belongs to the account.
 * @throws the same Refusal for a foreign, a deleted and an unknown key: callers see no difference.
 */
export function ownKey(state: KeyState, accountId: string): Key {
  if (!isKey(state) || state.account_id !== accountId) throw notFound();
  return state;
}

/**
 * Returns a key as callers see it: a key whose workspace was deleted counts as disabled until it is
 * moved (ADR 22).
 * @param workspaces those that the account of the key still has.
 */
export function effectiveKey(key: Key, workspaces: Pick<ReadonlySet<string>, 'has'>): Key {
  return key.disabled || workspaces.has(key.workspace_id) ? key : { ...key, disabled: true };
}

/**
 * Decides the reservation of a string: no event if the same is reserved already.
 * @throws Refusal when the string is anything else's.
 */
export function reserve(
  state: KeyState,
  hash: string,
  { account_id, key_hash }: Reservation,
): ReservationEvent[] {
  if (state === null) {
    return key_hash === null
      ? [{ type: 'ManagementKeyReserved', data: { hash, account_id } }]
      : [{ type: 'ApiKeyStringReserved', data: { string_hash: hash, key_hash, account_id } }];
  }
  const isSame =
    isReservation(state) && state.account_id === account_id && state.key_hash === key_hash;
  if (!isSame) throw new Refusal('hash-used');
  return [];
}

/** Decides the deletion of a key. No command finds the key afterwards. */
export function deleteKey({ hash }: Key): KeyEvent[] {
  return [{ type: 'ApiKeyDeleted', data: { hash } }];
}

export function unknownWorkspace(): Refusal {
  const issues = [{ path: 'workspace_id', message: 'is not a workspace of this account' }];
  return new Refusal('workspace-unknown', { issues });
}
