import { notFound, Refusal } from '../../../kernel/errors.js';
import { hasCome } from '../../../kernel/utc-timestamp.js';
import type { KeyEvent, ReservationEvent } from './key.events.js';
import { isReservedFor, type Key, type KeyState } from './key.js';
import { liveStrings, type StringPast, stringsOf } from './key-strings.js';

/** The most strings of a key that live after a rotation. */
const MOST_STRINGS = 8;

export interface NewString {
  readonly string_hash: string;
  /** How long the other strings of the key still live. */
  readonly grace_seconds: number;
}

/**
 * Decides the reservation of a string for a key: no event if it is reserved for that key already.
 * @throws Refusal when the string is anything else's, the key's first string included.
 */
export function reserveString(
  state: KeyState,
  { hash: key_hash, account_id }: Key,
  string_hash: string,
): ReservationEvent[] {
  if (state === null) {
    return [{ type: 'ApiKeyStringReserved', data: { string_hash, key_hash, account_id } }];
  }
  if (!isReservedFor(state, key_hash)) throw new Refusal('hash-used');
  return [];
}

/**
 * Decides a rotation: every other live string of the key ends after the grace, or before. No event
 * if the same rotation was decided before, and its string lives.
 * @param at the time of the event.
 * @param past what the events of the key say of the string; null for nothing.
 * @throws Refusal for a string that has ended, for another grace, and for one string too many.
 */
export function rotateKey(
  key: Key,
  { string_hash, grace_seconds }: NewString,
  at: Date,
  past: StringPast | null,
): KeyEvent[] {
  const others_end_at = endAfter(at, grace_seconds);
  if (!past) {
    requireRoom(key, grace_seconds, at);
    return [{ type: 'ApiKeyStringAdded', data: { hash: key.hash, string_hash, others_end_at } }];
  }
  if (!past.added || hasCome(past.ends_at, at)) throw new Refusal('string-ended');
  const { added } = past;
  if (endAfter(new Date(added.at), grace_seconds) !== added.others_end_at) {
    throw new Refusal('grace-differs');
  }
  return [];
}

function endAfter(at: Date, seconds: number): string {
  return new Date(at.getTime() + seconds * 1_000).toISOString();
}

/** @throws Refusal when a rotation would leave too many live strings. */
export function requireRoom(key: Key, graceSeconds: number, at: Date): void {
  if (graceSeconds === 0) return;
  if (liveStrings(key, at).length >= MOST_STRINGS) {
    throw new Refusal('too-many-strings', { limit: MOST_STRINGS });
  }
}

/**
 * Decides the end of a string: no event if it has ended.
 * @param past what the events of the key say of a string that the key does not list; undefined for
 * one whose stream does not name the key.
 * @throws Refusal for a string that is none of the key, and for the one without an end.
 */
export function endString(
  key: Key,
  string_hash: string,
  at: Date,
  past: StringPast | null | undefined,
): KeyEvent[] {
  const listed = stringsOf(key).find(({ hash }) => hash === string_hash);
  if (listed?.ends_at === null) throw new Refusal('last-string');
  const ended: KeyEvent = { type: 'ApiKeyStringEnded', data: { hash: key.hash, string_hash } };
  if (listed) return hasCome(listed.ends_at, at) ? [] : [ended];
  if (string_hash === key.hash) return [];
  if (past === undefined) throw notFound();
  // A string that was never added must not be added any more.
  return past === null ? [ended] : [];
}
