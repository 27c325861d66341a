import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  endUserOf,
  hashOf,
  recordOf,
  WORKSPACE,
} from '../../../../test/support/histories/usage.js';
import { SpendingShelf } from '../../../../test/support/specs/spending-shelf.js';
import type { SpentSoFar } from './spent-so-far.js';

const STEP = fc.record({
  what: fc.constantFrom('ask', 'own report', 'report', 'taken back'),
  amount: fc.bigInt({ min: 0n, max: 6n }),
  limit: fc.constantFrom(0, 5, 10),
});

describe('what is told of limits', () => {
  let shelf: SpendingShelf;
  let spending: SpentSoFar;

  beforeEach(() => {
    shelf = new SpendingShelf();
    spending = shelf.spendingOver();
  });

  afterEach(() => shelf.log.close());

  /** What was told so far, in short. */
  function told(): string[] {
    return shelf.reached.map(({ threshold, limit, spent, isReported }) => {
      const cause = isReported ? 'report' : 'read';
      return `${threshold} % of ${limit}: ${spent / 10n ** 9n} by a ${cause}`;
    });
  }

  it('is 80 % and then 100 %, once, whether a read finds them or a report reaches them', async () => {
    await shelf.spend(8n);
    await shelf.of(spending, { limit: 10 });
    await shelf.of(spending, { limit: 10 });
    expect(told()).toEqual(['80 % of 10: 8 by a read']);
    shelf.applyOwn(await shelf.spend(1n));
    expect(told()).toHaveLength(1);
    shelf.applyOwn(await shelf.spend(1n));
    shelf.applyOwn(await shelf.spend(1n));
    await shelf.of(spending, { limit: 10 });
    expect(told()).toEqual(['80 % of 10: 8 by a read', '100 % of 10: 10 by a report']);
    expect(shelf.reached[0]).toMatchObject({
      accountId: 'account-1',
      subject: hashOf('a'),
      kind: 'key',
      id: hashOf('a'),
      limit_reset: null,
      window: null,
    });
  });

  it('is both at once, 80 % first, and also of what others reported', async () => {
    await shelf.of(spending, { limit: 10 });
    await shelf.spend(12n);
    // Any question makes the follower look.
    await shelf.of(spending, { hash: hashOf('b') });
    expect(told()).toEqual(['80 % of 10: 12 by a report', '100 % of 10: 12 by a report']);
  });

  it('is by the limit that was last asked about, and nothing of none and of one of 0', async () => {
    await shelf.spend(8n);
    await shelf.of(spending, { limit: 0 });
    await shelf.of(spending, { limit: null });
    await shelf.of(spending, { limit: 100 });
    expect(told()).toEqual([]);
    await shelf.of(spending, { limit: 9 });
    shelf.applyOwn(await shelf.spend(1n));
    expect(told()).toEqual(['80 % of 9: 8 by a read', '100 % of 9: 9 by a report']);
  });

  it('is by a limit that was changed since, and of none that counts otherwise until it is asked about', async () => {
    await shelf.of(spending, { limit: 10 });
    spending.limits.limitChanged(hashOf('a'), { limit: 20 });
    shelf.applyOwn(await shelf.spend(8n));
    expect(told()).toEqual([]);
    spending.limits.limitChanged(hashOf('a'), { limit: 9 });
    expect(told()).toEqual(['80 % of 9: 8 by a read']);
    spending.limits.limitChanged(hashOf('a'), { include_byok_in_limit: true });
    shelf.applyOwn(await shelf.spend(1n));
    expect(told()).toHaveLength(1);
    await shelf.of(spending, { limit: 9, include_byok_in_limit: true });
    expect(told()).toHaveLength(3);
    spending.limits.limitChanged(hashOf('a'), { limit: null });
    spending.limits.limitChanged(hashOf('b'), { limit: 1 });
    expect(told()).toHaveLength(3);
  });

  it('is by the common limit of end users as changed since, for whom it is known to hold', async () => {
    const limited = { limit: 20, limit_reset: null, include_byok_in_limit: false };
    const ask = (user: string, limit = 10) =>
      shelf.of(spending, { hash: endUserOf(user), limit }, shelf.now, user);
    const spend = async (cost: bigint, user = 'ada') =>
      shelf.applyOwn(await shelf.report(recordOf({ user, cost: cost * 10n ** 9n })));
    const change = (limit: number, account = 'account-1') =>
      spending.limits.commonLimitChanged(account, { ...limited, limit }, (subject) =>
        subject === endUserOf('ben') ? undefined : subject === endUserOf('ada'),
      );
    for (const user of ['ada', 'ben', 'cyd']) await ask(user);
    change(1, 'account-2');
    change(20);
    for (const user of ['ada', 'ben', 'cyd']) await spend(9n, user);
    expect(told()).toEqual(['80 % of 10: 9 by a report']);
    expect(shelf.reached[0]?.id).toBe('cyd');
    await spend(8n, 'ben');
    expect(told()).toHaveLength(1);
    await spend(8n);
    expect(told().at(-1)).toBe('80 % of 20: 17 by a report');
    change(17);
    change(17);
    expect(told()).toHaveLength(2);
    await ask('ada', 17);
    expect(told().slice(2)).toEqual(['80 % of 17: 17 by a read', '100 % of 17: 17 by a read']);
    spending.limits.commonLimitChanged('account-1', { limit: null }, () => true);
    await spend(3n);
    expect(told()).toHaveLength(4);
    change(25);
    await spend(1n);
    expect(told().slice(4)).toEqual(['80 % of 25: 21 by a report']);
  });

  it('is by a limit that was removed and set again, as far as it is known how it counts', async () => {
    await shelf.of(spending, { limit: 10 });
    spending.limits.limitChanged(hashOf('a'), { limit: null });
    shelf.applyOwn(await shelf.spend(7n));
    spending.limits.limitChanged(hashOf('a'), { limit: 10 });
    shelf.applyOwn(await shelf.spend(1n));
    expect(told()).toEqual(['80 % of 10: 8 by a report']);
    spending.limits.limitChanged(hashOf('a'), { limit: null });
    spending.limits.limitChanged(hashOf('a'), { limit_reset: 'daily' });
    spending.limits.limitChanged(hashOf('a'), { limit: 8 });
    expect(told()).toHaveLength(1);
  });

  it('is once for questions at the same time that all read, and for a limit that counts otherwise once more', async () => {
    await shelf.spend(8n);
    await Promise.all(Array.from({ length: 9 }, () => shelf.of(spending, { limit: 10 })));
    expect(told()).toHaveLength(1);
    await shelf.of(spending, { limit: 10, include_byok_in_limit: true });
    expect(told()).toHaveLength(2);
    // What waits to be written stays.
    expect(shelf.forgotten).toEqual([]);
  });

  it('is also of a workspace, and of an end user once they are registered', async () => {
    const spend = async () => {
      const { cost } = recordOf();
      shelf.applyOwn(await shelf.report(recordOf({ user: 'ada', cost: 4n * cost })));
    };
    const ask = (hash: string, limit: number, user?: string | null) =>
      shelf.of(spending, { hash, limit }, shelf.now, user);
    await ask(WORKSPACE, 10);
    await ask(endUserOf('ada'), 10, null);
    await spend();
    await spend();
    expect(shelf.reached).toMatchObject([{ kind: 'workspace', id: WORKSPACE, threshold: 80 }]);
    await ask(endUserOf('ada'), 10, 'ada');
    await spend();
    const ofUser = { kind: 'end-user', id: 'ada', subject: endUserOf('ada') };
    expect(shelf.reached.slice(1)).toMatchObject([
      { ...ofUser, threshold: 80, spent: 8_000_000_000n, isReported: false },
      { kind: 'workspace', threshold: 100 },
      { ...ofUser, threshold: 100, spent: 12_000_000_000n, isReported: true },
    ]);
  });

  it('is nothing of a window that is over, and of each window anew', async () => {
    const daily = { limit: 10, limit_reset: 'daily' } as const;
    await shelf.of(spending, daily);
    shelf.now = '2026-03-05T00:00:00.000Z';
    shelf.applyOwn(await shelf.spend(10n));
    expect(told()).toEqual([]);
    await shelf.spend(8n, shelf.now);
    await shelf.of(spending, daily, shelf.now);
    expect(shelf.reached).toMatchObject([
      { limit_reset: 'daily', window: { since: '2026-03-05', until: '2026-03-06' } },
    ]);
  });

  it('is forgotten with the spending, and found again by the next question', async () => {
    await shelf.spend(8n);
    await shelf.of(spending, { limit: 10 });
    shelf.tellOfLoss();
    expect(shelf.forgotten).toEqual([hashOf('a')]);
    await shelf.of(spending, { limit: 10 });
    expect(told()).toHaveLength(2);
  });

  it('was reached by a recount, and is told of after each question and report that sees it reached', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { maxLength: 20 }), async (steps) => {
        await shelf.log.close();
        shelf = new SpendingShelf();
        spending = shelf.spendingOver();
        let asked: number | undefined;
        const seen = new Set<string>();
        const recounts = new Set([0n]);
        for (const { what, amount, limit } of steps) {
          if (what === 'ask') {
            await shelf.of(spending, { limit });
            asked = limit;
          } else if (what === 'taken back') shelf.applyOwn(await shelf.takeBack());
          else {
            const event = await shelf.spend(amount);
            if (what === 'own report') shelf.applyOwn(event);
            else await shelf.of(spending, { hash: hashOf('b') });
          }
          recounts.add(shelf.total);
          if (asked === undefined || asked === 0) continue;
          for (const threshold of [80, 100]) {
            if (Number(shelf.total) * 100 >= asked * threshold) seen.add(`${threshold} ${asked}`);
          }
        }
        const reached = shelf.reached.map(({ threshold, limit, spent }) => {
          expect(Number(spent) * 100).toBeGreaterThanOrEqual(limit * threshold * 1e9);
          expect(recounts).toContain(spent / 10n ** 9n);
          return `${threshold} ${limit}`;
        });
        expect(new Set(reached)).toEqual(seen);
      }),
      { numRuns: 200 },
    );
  });
});
