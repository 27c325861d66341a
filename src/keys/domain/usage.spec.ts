import { describe, expect, it } from '@jest/globals';
import { limitRemaining, noUsage, type Usage, windowStart } from './usage.js';

const monday = '2026-03-02';
const at = (time: string): Date => new Date(time);

const usage = (total: string, daily: string, since: string): Usage => {
  const window = { since, amount: daily };
  const totals = { total, windows: { daily: window, weekly: window, monthly: window } };
  return { own: totals, byok: totals };
};

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

describe('what is left under a limit', () => {
  const key = { limit: 1, limit_reset: null, include_byok_in_limit: false };

  it('is nothing to speak of without a limit', () => {
    expect(limitRemaining({ ...key, limit: null }, noUsage, at(monday))).toBeNull();
  });

  it('is all of it before any use', () => {
    expect(limitRemaining(key, noUsage, at(monday))).toBe(1);
  });

  it('is reckoned in decimals', () => {
    expect(limitRemaining({ ...key, limit: 0.3 }, usage('0.1', '0', ''), at(monday))).toBe(0.2);
  });

  it('is never below zero', () => {
    expect(limitRemaining(key, usage('1.5', '0', ''), at(monday))).toBe(0);
  });

  it('counts BYOK usage when told to', () => {
    const counted = { ...key, include_byok_in_limit: true };
    expect(limitRemaining(counted, usage('0.4', '0', ''), at(monday))).toBe(0.2);
  });

  it.each(['daily', 'weekly', 'monthly'] as const)(
    'starts anew with a %s window',
    (limit_reset) => {
      const used = usage('9', '0.75', windowStart(limit_reset, at(monday)));
      expect(limitRemaining({ ...key, limit_reset }, used, at(monday))).toBe(0.25);
      expect(limitRemaining({ ...key, limit_reset }, used, at('2026-04-06'))).toBe(1);
    },
  );
});
