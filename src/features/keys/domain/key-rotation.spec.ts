import { describe, expect, it } from '@jest/globals';
import {
  KEY_HASH,
  keyChanges,
  keyCreated,
  keyDeleted,
} from '../../../../test/support/histories/keys.js';
import { given } from '../../../../test/support/specs/given.js';
import { timeAt } from '../../../../test/support/specs/metadata-at.js';
import type { KeyEvent, ReservationEvent } from './key.events.js';
import { endString, rotateKey } from './key-rotation.js';
import { isKey, key, type KeyState, ownKey, reserve } from './key.js';
import { firstEventOf, liveString, type StringEvent, stringsOf } from './key-strings.js';

/** The first event of a history is at 0, and each later one an hour after the one before. */
const hour = (count: number, ms = 0): Date => new Date(Date.parse(timeAt(count)) + ms);

function added(string_hash: string, othersEndAt: Date): KeyEvent {
  const others_end_at = othersEndAt.toISOString();
  return { type: 'ApiKeyStringAdded', data: { hash: KEY_HASH, string_hash, others_end_at } };
}

const ended = (string_hash: string): KeyEvent => ({
  type: 'ApiKeyStringEnded',
  data: { hash: KEY_HASH, string_hash },
});

const own = (state: KeyState) => ownKey(state, 'account-1');

const rotate =
  (string_hash: string, grace_seconds: number, at: Date, ...history: readonly KeyEvent[]) =>
  (state: KeyState): KeyEvent[] => {
    const first = given(firstEventOf(string_hash), ...history).state;
    return rotateKey(own(state), { string_hash, grace_seconds }, at, first);
  };

function stringsAt(now: Date, ...history: readonly KeyEvent[]): unknown[] {
  const { state } = given(key, ...history);
  return stringsOf(own(state))
    .filter(({ hash }) => liveString(own(state), hash, now))
    .map(({ hash, ends_at }) => [hash, ends_at]);
}

describe('the strings of a key', () => {
  it('are the first one, without an end, until it is rotated', () => {
    expect(stringsAt(hour(9), keyCreated(), ...keyChanges)).toEqual([[KEY_HASH, null]]);
    expect(given(key, keyCreated()).state).not.toHaveProperty('strings');
  });

  it('end after the grace of a rotation, or earlier if they were to end earlier', () => {
    const history = [keyCreated(), added('b', hour(9)), added('c', hour(12))];
    expect(stringsAt(hour(3), ...history)).toEqual([
      [KEY_HASH, timeAt(9)],
      ['b', timeAt(12)],
      ['c', null],
    ]);
    expect(stringsAt(hour(9, -1), ...history)).toHaveLength(3);
    expect(stringsAt(hour(9), ...history)).toEqual([
      ['b', timeAt(12)],
      ['c', null],
    ]);
    const sooner = [...history, added('d', hour(8))];
    expect(stringsAt(hour(3), ...sooner)).toEqual([
      [KEY_HASH, timeAt(8)],
      ['b', timeAt(8)],
      ['c', timeAt(8)],
      ['d', null],
    ]);
  });

  it('that have ended are no part of the state after the next event', () => {
    const { state } = given(key, keyCreated(), added('b', hour(1)), added('c', hour(2)));
    expect(isKey(state) && state.strings?.map(({ hash }) => hash)).toEqual(['c']);
    const { state: after } = given(key, keyCreated(), added('b', hour(9)), ended(KEY_HASH));
    expect(isKey(after) && after.strings?.map(({ hash }) => hash)).toEqual(['b']);
  });

  it('change nothing else of the key', () => {
    const { strings: _, ...rest } = own(given(key, keyCreated(), added('b', hour(9))).state);
    expect(rest).toEqual(given(key, keyCreated()).state);
  });
});

describe('a rotation', () => {
  it('is one event, whatever its grace', () => {
    given(key, keyCreated())
      .when(rotate('b', 0, hour(5)))
      .then(added('b', hour(5)));
    given(key, keyCreated(), ...keyChanges)
      .when(rotate('b', 60, hour(9)))
      .then(added('b', hour(9, 60_000)));
  });

  it('that was decided before is nothing while its string lives, even with an end', () => {
    const history = [keyCreated(), added('b', hour(1, 60_000)), added('c', hour(9))];
    given(key, ...history)
      .when(rotate('b', 60, hour(9, -1), ...history))
      .thenNothing();
    given(key, ...history)
      .when(rotate('b', 61, hour(9, -1), ...history))
      .thenRefused('grace-differs', null);
  });

  it.each([60, 61])('never gives a second life to a string that has ended (grace %i)', (grace) => {
    const byRotation = [keyCreated(), added('b', hour(1, 60_000)), added('c', hour(9))];
    const byHand = [keyCreated(), added('b', hour(1, 60_000)), added('c', hour(9)), ended('b')];
    const neverAdded = [keyCreated(), added('c', hour(9)), ended('b')];
    for (const history of [byRotation, byHand, neverAdded]) {
      given(key, ...history)
        .when(rotate('b', grace, hour(9), ...history))
        .thenRefused('string-ended', null);
    }
  });

  it('leaves at most 8 live strings', () => {
    const letters = ['b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const history = [keyCreated(), ...letters.map((letter) => added(letter, hour(20)))];
    const full = given(key, ...history);
    full.when(rotate('i', 1, hour(9))).thenRefused('too-many-strings', { limit: 8 });
    full.when(rotate('i', 0, hour(9))).then(added('i', hour(9)));
    full.when(rotate('i', 1, hour(20))).then(added('i', hour(20, 1_000)));
    given(key, ...history.slice(0, -1))
      .when(rotate('i', 1, hour(9)))
      .then(added('i', hour(9, 1_000)));
  });
});

describe('the reservation of a string for a key', () => {
  const data = { string_hash: 'b', key_hash: KEY_HASH, account_id: 'account-1' };
  const reserved: ReservationEvent = { type: 'ApiKeyStringReserved', data };
  const reservation = { account_id: 'account-1', key_hash: KEY_HASH };
  const ofKey = (state: KeyState): ReservationEvent[] => reserve(state, 'b', reservation);

  it('is made once', () => {
    given(key).when(ofKey).then(reserved);
    given(key, reserved).when(ofKey).thenNothing();
  });

  it('is refused for a string that anything else has', () => {
    const other: ReservationEvent = { ...reserved, data: { ...data, key_hash: 'another' } };
    const management = { hash: 'b', account_id: 'account-1' };
    given(key, other).when(ofKey).thenRefused('hash-used', null);
    given(key, { type: 'ManagementKeyReserved', data: management })
      .when(ofKey)
      .thenRefused('hash-used', null);
    given(key, keyCreated()).when(ofKey).thenRefused('hash-used', null);
    given(key, keyCreated(), keyDeleted).when(ofKey).thenRefused('hash-used', null);
  });
});

describe('the end of a string', () => {
  const end =
    (hash: string, at: Date, first?: StringEvent | null) =>
    (state: KeyState): KeyEvent[] =>
      endString(own(state), hash, at, first);
  const history = [keyCreated(), added('b', hour(9))];

  it('is one event, and nothing once it has ended', () => {
    given(key, ...history)
      .when(end(KEY_HASH, hour(2)))
      .then(ended(KEY_HASH));
    given(key, ...history)
      .when(end(KEY_HASH, hour(9)))
      .thenNothing();
    given(key, ...history, ended(KEY_HASH))
      .when(end(KEY_HASH, hour(2)))
      .thenNothing();
  });

  it('is refused for the one without an end', () => {
    given(key, keyCreated())
      .when(end(KEY_HASH, hour(2)))
      .thenRefused('last-string', null);
    given(key, ...history)
      .when(end('b', hour(2)))
      .thenRefused('last-string', null);
  });

  it('is refused for a string of another key, and decided for one that was never added', () => {
    given(key, ...history)
      .when(end('x', hour(2), undefined))
      .thenRefused('not-found', null);
    given(key, ...history)
      .when(end('x', hour(2), null))
      .then(ended('x'));
    const first = given(firstEventOf('x'), ...history, ended('x')).state;
    given(key, ...history, ended('x'))
      .when(end('x', hour(3), first))
      .thenNothing();
  });

  it('of a string that was never added leaves a key that was never rotated as it was', () => {
    expect(given(key, keyCreated(), ended('x')).state).toEqual(given(key, keyCreated()).state);
  });
});
