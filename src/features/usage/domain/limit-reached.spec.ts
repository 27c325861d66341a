import { describe, expect, it } from '@jest/globals';
import { Big } from 'big.js';
import fc from 'fast-check';
import { given } from '../../../../test/support/specs/given.js';
import { decimalUsd } from '../../../kernel/usd.js';
import {
  type LimitReached,
  limitReached,
  limitReachedId,
  nextThreshold,
  reportLimitReached,
} from './limit-reached.js';

const REACHED: LimitReached = {
  accountId: 'account-1',
  subject: 'enduser-1',
  kind: 'end-user',
  id: 'Alice',
  threshold: 80,
  limit: 2.5,
  spent: 2_000_000_001n,
  limit_reset: 'weekly',
  window: { since: '2026-03-02', until: '2026-03-09' },
};

const DATA = {
  id: 'Alice',
  threshold: 80,
  limit: 2.5,
  spent: '2000000001',
  limit_reset: 'weekly' as const,
  window_start: '2026-03-02T00:00:00.000Z',
  resets_at: '2026-03-09T00:00:00.000Z',
};

describe('the thresholds of a limit', () => {
  it('are 80 % and 100 % of it, exactly, also where it has more digits than amounts', () => {
    const limits = fc.oneof(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), fc.nat());
    fc.assert(
      fc.property(limits, fc.constantFrom(0, 1), (limit, reached) => {
        fc.pre(limit > 0);
        const least = nextThreshold(limit, reached) ?? 0n;
        const threshold = new Big(limit).times(reached === 0 ? '0.8' : 1);
        expect(threshold.lte(decimalUsd(least))).toBe(true);
        expect(threshold.gt(decimalUsd(least - 1n))).toBe(true);
      }),
    );
  });

  it('are two, and none where there is no limit or a limit of 0', () => {
    expect([0, 1, 2].map((reached) => nextThreshold(10, reached))).toEqual([
      8_000_000_000n,
      10_000_000_000n,
      null,
    ]);
    expect([nextThreshold(0, 0), nextThreshold(null, 0)]).toEqual([null, null]);
  });
});

describe('a limit that was reached', () => {
  it('is reported once', () => {
    const event = { type: 'EndUserLimitReached', data: DATA } as const;
    given(limitReached)
      .when((isStored) => reportLimitReached(isStored, REACHED))
      .then(event);
    given(limitReached, event)
      .when((isStored) => reportLimitReached(isStored, REACHED))
      .thenNothing();
  });

  it('has no window where the limit never resets', () => {
    const never = { ...REACHED, kind: 'key', limit_reset: null, window: null } as const;
    const data = { ...DATA, limit_reset: null, window_start: null, resets_at: null };
    expect(reportLimitReached(false, never)).toEqual([{ type: 'ApiKeyLimitReached', data }]);
  });

  it('has the name that the contract says', () => {
    // node -p "crypto.hash('sha256', JSON.stringify(['account-1', 'end-user', …, '2.5', 80]))"
    expect(limitReachedId(REACHED)).toBe(
      'e2b273c6007c4e3f848a058a0e0e104eec3632a87a35b7d275fb55c416de4dc5',
    );
  });

  it('has another name where account, subject, window, limit or threshold differ, and in no other case', () => {
    const others: Partial<LimitReached>[] = [
      { accountId: 'account-2' },
      { kind: 'workspace' },
      { id: 'alice' },
      { limit_reset: 'daily' },
      { window: { since: '2026-03-09', until: '2026-03-16' } },
      { limit: 2.51 },
      { threshold: 100 },
    ];
    const names = others.map((other) => limitReachedId({ ...REACHED, ...other }));
    expect(new Set([...names, limitReachedId(REACHED)]).size).toBe(others.length + 1);
    expect(limitReachedId({ ...REACHED, spent: 9n })).toBe(limitReachedId(REACHED));
  });
});
