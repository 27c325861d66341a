import type { Foldable } from '../../../kernel/aggregate.js';
import type { Happened } from '../../../kernel/event.js';
import { bytesOfTexts } from '../../../kernel/sizes.js';
import { earlier, hasCome } from '../../../kernel/utc-timestamp.js';
import { type KeyEvent, keyEvents } from './key.events.js';

/** A string that opens a key, by its hash. All times are in ISO 8601 UTC with milliseconds. */
export interface KeyString {
  readonly hash: string;
  readonly created_at: string;
  /** When the string ends; null for the one string without an end. */
  readonly ends_at: string | null;
}

/** The part of a key that concerns its strings. */
export interface WithStrings {
  /** The hash of the first string, which names the key. */
  readonly hash: string;
  readonly created_at: string;
  /** The strings that had not ended at the last rotation; absent for a key that had none. */
  readonly strings?: readonly KeyString[];
}

export type StringEvent = Happened<
  Extract<KeyEvent, { type: 'ApiKeyStringAdded' | 'ApiKeyStringEnded' }>
>;

/** Returns the strings of a key, oldest first. Some may have ended since the last rotation. */
export function stringsOf({ hash, created_at, strings }: WithStrings): readonly KeyString[] {
  return strings ?? [{ hash, created_at, ends_at: null }];
}

/** Returns the strings of a key that have not ended by `now`, oldest first. */
export function liveStrings(key: WithStrings, now: Date): readonly KeyString[] {
  return stringsOf(key).filter(({ ends_at }) => !hasCome(ends_at, now));
}

/** Finds a string of a key, which may have ended. Begins with the newest: most callers use it. */
export function stringOf(key: WithStrings, hash: string): KeyString | undefined {
  return stringsOf(key).findLast((string) => string.hash === hash);
}

/** Finds a string of a key that has not ended by `now`. */
export function liveString(key: WithStrings, hash: string, now: Date): KeyString | undefined {
  const string = stringOf(key, hash);
  return string && !hasCome(string.ends_at, now) ? string : undefined;
}

/** Returns the strings of a key after an event; undefined for a key that was never rotated. */
export function stringsAfter(
  key: WithStrings,
  { type, data, metadata }: StringEvent,
): readonly KeyString[] | undefined {
  const at = metadata.occurred_at;
  const added = { hash: data.string_hash, created_at: at, ends_at: null };
  if (type === 'ApiKeyStringEnded') {
    return key.strings?.filter(
      ({ hash, ends_at }) => hash !== data.string_hash && lasts(ends_at, at),
    );
  }
  const others = stringsOf(key).map((string): KeyString => ({
    ...string,
    ends_at: earlier(string.ends_at, data.others_end_at),
  }));
  return [...others.filter(({ ends_at }) => lasts(ends_at, at)), added];
}

export function bytesOfStrings({ strings = [] }: Pick<WithStrings, 'strings'>): number {
  return strings.reduce((bytes, string) => bytes + bytesOfTexts(string), 0);
}

/** Folds the first event of a key that names a string; null if none does. */
export function firstEventOf(stringHash: string): Foldable<StringEvent | null, KeyEvent> {
  return {
    events: keyEvents,
    initial: null,
    evolve: (first, event) =>
      first ?? (isOfString(event) && event.data.string_hash === stringHash ? event : null),
  };
}

function isOfString(event: Happened<KeyEvent>): event is StringEvent {
  return event.type === 'ApiKeyStringAdded' || event.type === 'ApiKeyStringEnded';
}

function lasts(ends_at: string | null, at: string): boolean {
  return ends_at === null || ends_at > at;
}
