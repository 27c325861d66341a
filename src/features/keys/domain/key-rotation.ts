import { notFound, Refusal } from '../../../kernel/errors.js';
import { hasCome } from '../../../kernel/utc-timestamp.js';
import type { KeyEvent } from './key.events.js';
import type { Key } from './key.js';
import { liveString, liveStrings, type StringEvent, stringOf } from './key-strings.js';

/** The most strings of a key that live after a rotation. */
const MOST_STRINGS = 8;

export interface NewString {
  readonly string_hash: string;
  /** How long the other strings of the key still live. */
  readonly grace_seconds: number;
}

/**
 * Decides a rotation: every other live string of the key ends after the grace, or before. No event
 * if the same rotation was decided before, and its string lives.
 * @param at the time of the event.
 * @param first the first event of the key that names the string; null if none does.
 * @throws Refusal for a string that has ended, for another grace, and for one string too many.
 */
export function rotateKey(
  key: Key,
  { string_hash, grace_seconds }: NewString,
  at: Date,
  first: StringEvent | null,
): KeyEvent[] {
  if (!first) {
    if (grace_seconds > 0 && liveStrings(key, at).length >= MOST_STRINGS) {
      throw new Refusal('too-many-strings', { limit: MOST_STRINGS });
    }
    const others_end_at = endAfter(at, grace_seconds);
    return [{ type: 'ApiKeyStringAdded', data: { hash: key.hash, string_hash, others_end_at } }];
  }
  if (first.type === 'ApiKeyStringEnded' || !liveString(key, string_hash, at)) {
    throw new Refusal('string-ended');
  }
  const addedAt = new Date(first.metadata.occurred_at);
  if (endAfter(addedAt, grace_seconds) !== first.data.others_end_at) {
    throw new Refusal('grace-differs');
  }
  return [];
}

function endAfter(at: Date, seconds: number): string {
  return new Date(at.getTime() + seconds * 1_000).toISOString();
}

/**
 * Decides the end of a string: no event if it has ended.
 * @param first as for a rotation; undefined for a string whose stream does not name the key.
 * @throws Refusal for a string that is none of the key, and for the one without an end.
 */
export function endString(
  key: Key,
  string_hash: string,
  at: Date,
  first: StringEvent | null | undefined,
): KeyEvent[] {
  const listed = stringOf(key, string_hash);
  if (listed?.ends_at === null) throw new Refusal('last-string');
  const ended: KeyEvent = { type: 'ApiKeyStringEnded', data: { hash: key.hash, string_hash } };
  if (listed) return hasCome(listed.ends_at, at) ? [] : [ended];
  if (string_hash === key.hash) return [];
  if (first === undefined) throw notFound();
  // A string that was never added must not be added any more.
  return first ? [] : [ended];
}
