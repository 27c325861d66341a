import { describe, expect, it } from '@jest/globals';
import type { LimitReset } from './key.js';
import { limitRemaining, noUsage, type Usage, type UsageTotals, windowStart } from './usage.js';

const monday = '2026-03-02';
const at = (time: string): Date => new Date(time);

/** The totals of the windows that contain `now`. Each window has a different amount. */
const totals = (total: string, amounts: Record<LimitReset, string>, now: Date): UsageTotals => {
  const windowOf = (reset: LimitReset) => ({
    since: windowStart(reset, now),
    amount: amounts[reset],
  });
  return {
    total,
    windows: { daily: windowOf('daily'), weekly: windowOf('weekly'), monthly: windowOf('monthly') },
  };
};

const inAll = (own: string, byok: string): Usage => ({
  own: { ...noUsage.own, total: own },
  byok: { ...noUsage.byok, total: byok },
});

describe('windows', () => {
  it.each([
    ['daily', '2026-03-04T23:59:59.999Z', '2026-03-04'],
    ['daily', '2026-03-05T00:00:00.000Z', '2026-03-05'],
    ['weekly', '2026-03-02T00:00:00.000Z', monday],
    ['weekly', '2026-03-08T23:59:59.999Z', monday],
    ['weekly', '2026-03-01T23:59:59.999Z', '2026-02-23'],
    ['weekly', '2026-01-01T12:00:00.000Z', '2025-12-29'],
    ['monthly', '2026-03-31T23:59:59.999Z', '2026-03-01'],
    ['monthly', '2026-04-01T00:00:00.000Z', '2026-04-01'],
  ] as const)('the %s one that holds %s began on %s', (reset, time, start) => {
    expect(windowStart(reset, at(time))).toBe(start);
  });
});

describe('the rest of a limit', () => {
  const key = { limit: 1, limit_reset: null, include_byok_in_limit: false };

  it('is null without a limit', () => {
    expect(limitRemaining({ ...key, limit: null }, noUsage, at(monday))).toBeNull();
  });

  it('is the whole limit before any use', () => {
    expect(limitRemaining(key, noUsage, at(monday))).toBe(1);
  });

  it('is computed in decimals', () => {
    expect(limitRemaining({ ...key, limit: 0.3 }, inAll('0.1', '0'), at(monday))).toBe(0.2);
  });

  it('is never below zero', () => {
    expect(limitRemaining(key, inAll('1.5', '0'), at(monday))).toBe(0);
  });

  it('counts BYOK usage if the key says so, and only then', () => {
    const counted = { ...key, include_byok_in_limit: true };
    expect(limitRemaining(counted, inAll('0.4', '0.35'), at(monday))).toBe(0.25);
    expect(limitRemaining(key, inAll('0.4', '0.35'), at(monday))).toBe(0.6);
  });

  describe.each([
    ['daily', 0.75, 0.74],
    ['weekly', 0.5, 0.48],
    ['monthly', 0.25, 0.22],
  ] as const)('in a %s window', (limit_reset, left, leftWithByok) => {
    const now = at('2026-03-11');
    const used: Usage = {
      own: totals('9', { daily: '0.25', weekly: '0.5', monthly: '0.75' }, now),
      byok: totals('8', { daily: '0.01', weekly: '0.02', monthly: '0.03' }, now),
    };

    it.each([
      [false, left],
      [true, leftWithByok],
    ])('counts what was spent in it alone, BYOK usage too: %s', (include_byok_in_limit, rest) => {
      const limited = { ...key, limit_reset, include_byok_in_limit };
      expect(limitRemaining(limited, used, now)).toBe(rest);
    });

    it('starts anew with the next one', () => {
      const limited = { ...key, limit_reset, include_byok_in_limit: true };
      expect(limitRemaining(limited, used, at('2026-04-06'))).toBe(1);
    });
  });
});
