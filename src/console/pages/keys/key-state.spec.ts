import { describe, expect, it } from '@jest/globals';
import { type Key, nextReset, stateOf } from './key-state.js';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const KEY = { disabled: false, expires_at: null, limit: null, limit_remaining: null };

const keyWith = (changes: Partial<Key>): Key => ({ ...KEY, ...changes }) as Key;

describe('the state of a key', () => {
  it.each([
    [{}, 'live'],
    [{ limit: 5, limit_remaining: 1e-9 }, 'live'],
    [{ limit: 5, limit_remaining: 0 }, 'spent'],
    [{ limit: 0, limit_remaining: 0 }, 'spent'],
    [{ expires_at: '2026-11-30T12:00:00.001Z' }, 'live'],
    [{ expires_at: '2026-11-30T12:00:00.000Z' }, 'expired'],
    [{ expires_at: '2020-01-01T00:00:00Z', limit: 5, limit_remaining: 0 }, 'expired'],
    [{ disabled: true, expires_at: '2020-01-01T00:00:00Z' }, 'disabled'],
  ])('with %p is %s, as a verification decides', (changes, state) => {
    expect(stateOf(keyWith(changes), NOW)).toBe(state);
  });
});

describe('the window of a limit', () => {
  it.each([
    [null, '2026-11-30T12:00:00Z', null],
    ['daily', '2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00.000Z'],
    ['daily', '2026-12-01T00:00:00Z', '2026-12-02T00:00:00.000Z'],
    ['weekly', '2026-11-29T12:00:00Z', '2026-11-30T00:00:00.000Z'],
    ['weekly', '2026-11-30T00:00:00Z', '2026-12-07T00:00:00.000Z'],
    ['weekly', '2026-12-03T12:00:00Z', '2026-12-07T00:00:00.000Z'],
    ['monthly', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00.000Z'],
    ['monthly', '2026-12-31T23:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['monthly', '2028-01-31T12:00:00Z', '2028-02-01T00:00:00.000Z'],
  ] as const)('that resets %s ends, at %s, at %s', (reset, now, end) => {
    expect(nextReset(reset, new Date(now))).toBe(end);
  });
});
