import { describe, expect, it } from '@jest/globals';
import {
  limitRemaining,
  type Limited,
  NEVER_USED,
  spentTowardLimit,
  type Spent,
  type UsageByWindow,
  windowOf,
} from './limit.js';

const monday = '2026-03-02';
const at = (time: string): Date => new Date(time);

/** The use of a key in all, in hundredths of a USD. */
const inAll = (own: bigint, byok: bigint): UsageByWindow => ({
  ...NEVER_USED,
  total: cents(own, byok),
});

const cents = (own: bigint, byok: bigint): Spent => ({
  usage: own * 10n ** 7n,
  byok_usage: byok * 10n ** 7n,
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
    expect(windowOf(reset, at(time)).since).toBe(start);
  });
});

describe('the rest of a limit', () => {
  const key = { limit: 1, limit_reset: null, include_byok_in_limit: false };
  const rest = (limited: Limited, usage: UsageByWindow): number | null =>
    limitRemaining(limited.limit, spentTowardLimit(limited, usage));

  it('is null without a limit', () => {
    expect(rest({ ...key, limit: null }, NEVER_USED)).toBeNull();
    expect(rest({ ...key, limit: null }, inAll(100n, 100n))).toBeNull();
  });

  it('is the whole limit before any use', () => {
    expect(rest(key, NEVER_USED)).toBe(1);
  });

  it('is computed in decimals', () => {
    expect(rest({ ...key, limit: 0.3 }, inAll(10n, 0n))).toBe(0.2);
  });

  it('is never below zero', () => {
    expect(rest(key, inAll(150n, 0n))).toBe(0);
  });

  it('counts BYOK usage if the key says so, and only then', () => {
    const counted = { ...key, include_byok_in_limit: true };
    expect(rest(counted, inAll(40n, 35n))).toBe(0.25);
    expect(rest(key, inAll(40n, 35n))).toBe(0.6);
  });

  it.each([
    ['daily', 0.75, 0.74],
    ['weekly', 0.5, 0.48],
    ['monthly', 0.25, 0.22],
  ] as const)('counts what was spent in its %s window alone', (limit_reset, left, leftWithByok) => {
    const used: UsageByWindow = {
      total: cents(900n, 800n),
      daily: cents(25n, 1n),
      weekly: cents(50n, 2n),
      monthly: cents(75n, 3n),
    };
    expect(rest({ ...key, limit_reset }, used)).toBe(left);
    const counted = { ...key, limit_reset, include_byok_in_limit: true };
    expect(rest(counted, used)).toBe(leftWithByok);
  });
});
