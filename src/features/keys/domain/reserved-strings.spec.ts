import { describe, expect, it } from '@jest/globals';
import {
  KEY_HASH,
  keyChanges,
  keyCreated,
  keyDeleted,
} from '../../../../test/support/histories/keys.js';
import { given } from '../../../../test/support/specs/given.js';
import type { ReservationEvent } from './key.events.js';
import { isKey, key, type KeyState, ownKey, reserve } from './key.js';

describe('a string that is reserved for a management key', () => {
  const data = { hash: KEY_HASH, account_id: 'account-1' };
  const reserved: ReservationEvent = { type: 'ManagementKeyReserved', data };
  const reserveFor =
    (account_id: string) =>
    (state: KeyState): ReservationEvent[] =>
      reserve(state, KEY_HASH, { account_id, key_hash: null });

  it('is reserved once, before anything else has it', () => {
    given(key).when(reserveFor('account-1')).then(reserved);
    given(key, reserved).when(reserveFor('account-1')).thenNothing();
  });

  it('is refused to another account, like the strings of keys, deleted ones too', () => {
    given(key, reserved).when(reserveFor('account-2')).thenRefused('hash-used', null);
    given(key, keyCreated()).when(reserveFor('account-1')).thenRefused('hash-used', null);
    given(key, keyCreated(), keyDeleted)
      .when(reserveFor('account-1'))
      .thenRefused('hash-used', null);
  });

  it('is no API key, whatever follows', () => {
    const { state } = given(key, reserved, keyCreated(), ...keyChanges);
    expect(isKey(state)).toBe(false);
    expect(() => ownKey(state, 'account-1')).toThrow('not-found');
  });
});
