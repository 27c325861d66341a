import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import {
  endUserOf,
  hashOf,
  recordOf,
  WORKSPACE,
} from '../../../../test/support/histories/usage.js';
import { counting, logWith } from '../../../../test/support/specs/log-with.js';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import { SpendingShelf } from '../../../../test/support/specs/spending-shelf.js';
import type { EventLog } from '../../../event-sourcing/event-log/event-log.js';
import { SqliteEventLog } from '../../../event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { Unavailable } from '../../../kernel/errors.js';
import { START } from '../../../kernel/position.js';

/** A step of a random history: an action, an amount, and whether it happens during a read. */
const STEP = fc.record({
  what: fc.constantFrom(
    'report',
    'own report',
    'own report heard late',
    'report, folded',
    'fold',
    'ask',
  ),
  isTakenBack: fc.boolean(),
  amount: fc.bigInt({ min: 1n, max: 9n }),
  whileRead: fc.boolean(),
});

describe.each([
  ['a key', hashOf('a')],
  ['a workspace', WORKSPACE],
  ['an end user', endUserOf('ada')],
])('the spending of %s', (_, subject) => {
  let shelf: SpendingShelf;
  const of: SpendingShelf['of'] = (...args) => shelf.of(...args);
  const spend: SpendingShelf['spend'] = (...args) => shelf.spend(...args);
  const spendingOver: SpendingShelf['spendingOver'] = (...args) => shelf.spendingOver(...args);

  beforeEach(() => {
    shelf = new SpendingShelf();
    shelf.subject = subject;
    shelf.user = 'ada';
  });

  afterEach(() => shelf.log.close());

  it('is read once, and then follows the log', async () => {
    const spending = spendingOver();
    await spend(1n);
    expect(await of(spending)).toBe('1');
    await spend(2n);
    // Key b is in the same workspace.
    await shelf.report(recordOf({ key_hash: hashOf('b') }));
    expect(await of(spending)).toBe(subject === WORKSPACE ? '4' : '3');
    expect(shelf.reads).toBe(1);
  });

  it('of a key without a limit is not asked for', async () => {
    await spend(1n);
    expect(await of(spendingOver(), { limit: null })).toBe('0');
    expect(shelf.reads).toBe(0);
  });

  it('counts each report once, and takes it back once, wherever the fold is, whoever reported and whatever comes meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(3), fc.array(STEP, { maxLength: 20 }), async (behind, steps) => {
        shelf.folded = Math.max(0, shelf.history.length - 1 - behind);
        shelf.beginsAt = shelf.foldedTo.position;
        const spending = spendingOver();
        let include_byok_in_limit = false;
        const happens = async (step: (typeof steps)[number]): Promise<void> => {
          const { what, amount, isTakenBack } = step;
          if (what === 'fold') shelf.fold(Number(amount));
          else if (what !== 'ask') {
            const event = await (isTakenBack ? shelf.takeBack() : spend(amount));
            // The follower may come to an own report before it is handed over.
            if (what === 'own report heard late') await of(spending, { hash: hashOf('b') });
            if (what === 'report, folded') shelf.fold(Infinity);
            else if (what !== 'report') shelf.applyOwn(event);
          }
        };
        for (const [index, step] of steps.entries()) {
          const next = steps[index + 1];
          if (step.what !== 'ask') {
            if (!step.whileRead) await happens(step);
            continue;
          }
          shelf.readsFirst = step.amount > 4n;
          shelf.meanwhile = async () => {
            shelf.meanwhile = () => Promise.resolve();
            if (next?.whileRead === true) await happens(next);
          };
          // A key whose limit counts otherwise is read anew.
          include_byok_in_limit = !include_byok_in_limit;
          const before = shelf.total;
          const answer = BigInt(await of(spending, { include_byok_in_limit }));
          expect([before, shelf.total]).toContain(answer);
          expect(await of(spending, { include_byok_in_limit })).toBe(String(shelf.total));
        }
        expect(await of(spending)).toBe(String(shelf.total));
      }),
      { numRuns: 200 },
    );
  });

  it('is told while the fold is held, and the log is read once for any number of keys', async () => {
    shelf.folded = 0;
    const follows = { follow: 0 };
    const spending = spendingOver(counting(follows)(shelf.log));
    for (let count = 0; count < 20; count++) await spend(1n);
    await of(spending, { hash: hashOf('b') });
    const daily = { limit_reset: 'daily' } as const;
    const asked = Array.from({ length: 100 }, () => of(spending, daily));
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['20']));
    expect(follows.follow).toBe(1);
  });

  it('is unknown where what was reported since the checkpoint is not in memory', async () => {
    await spend(1n);
    await spend(2n);
    shelf.beginsAt = shelf.history[2]?.position ?? START;
    shelf.folded = 1;
    const spending = spendingOver();
    await expect(of(spending)).rejects.toThrow(Unavailable);
    shelf.folded = 2;
    expect(await of(spending)).toBe('3');
  });

  it('knows at once what this process reported, without a look at the log', async () => {
    const spending = spendingOver(shelf.log, 60_000);
    await spend(1n);
    expect(await of(spending)).toBe('1');
    shelf.applyOwn(await spend(2n));
    expect(await of(spending)).toBe('3');
    expect(await of(spending, { limit_reset: 'daily' })).toBe('3');
  });

  it('is that of the window and the kinds that the limit counts, and read anew where those change', async () => {
    const spending = spendingOver();
    await spend(1n, '2026-03-04T00:00:00.000Z', 10n);
    await spend(2n, '2026-03-02T00:00:00.000Z', 20n);
    await spend(4n, '2026-03-01T00:00:00.000Z', 40n);
    await spend(8n, '2026-02-28T23:59:59.999Z', 80n);
    for (const [limit_reset, own, both] of [
      [null, '15', '165'],
      ['daily', '1', '11'],
      ['weekly', '3', '33'],
      ['monthly', '7', '77'],
    ] as const) {
      expect(await of(spending, { limit_reset })).toBe(own);
      expect(await of(spending, { limit_reset, include_byok_in_limit: true })).toBe(both);
    }
    expect(shelf.reads).toBe(8);
  });

  it('begins anew with a window, and counts what was reported ahead in its own', async () => {
    const spending = spendingOver();
    const daily = { limit_reset: 'daily' } as const;
    await spend(1n);
    expect(await of(spending, daily, '2026-03-04T23:59:59.999Z')).toBe('1');
    await spend(2n, '2026-03-05T00:01:00.000Z');
    expect(await of(spending, daily, '2026-03-04T23:59:59.999Z')).toBe('1');
    expect(await of(spending, daily, '2026-03-05T00:00:00.000Z')).toBe('2');
    expect(shelf.reads).toBe(2);
  });

  it.each(['after it was read', 'while it is read'])(
    'is read anew from a log that took the place of the one before %s',
    async (when) => {
      let current: EventLog = shelf.log;
      const spending = spendingOver(
        logWith(shelf.log, {
          head: () => current.head(),
          follow: (...args) => current.follow(...args),
        }),
      );
      await spend(1n);
      await spend(2n);
      const replace = async (): Promise<void> => {
        shelf.meanwhile = () => Promise.resolve();
        await shelf.log.close();
        const older = new SqliteEventLog(':memory:');
        [shelf.log, current] = [older, older];
        await of(spending, { hash: hashOf('b') });
      };
      if (when === 'while it is read') shelf.meanwhile = replace;
      expect(await of(spending)).toBe('3');
      if (when === 'after it was read') await replace();
      shelf.history = shelf.history.slice(0, 1);
      await spend(5n);
      expect(await of(spending)).toBe('5');
    },
  );

  it.each(['after it was read', 'while it is read'])(
    'is read anew when it shows %s that documents were dropped before',
    async (when) => {
      const spending = spendingOver();
      await spend(1n);
      const dropped = shelf.history;
      shelf.history = dropped.map(({ position }) => ({ position, usage: undefined }));
      shelf.meanwhile = async () => {
        if (when === 'while it is read') shelf.tellOfLoss();
      };
      expect(await of(spending)).toBe('0');
      if (when === 'after it was read') shelf.tellOfLoss();
      shelf.history = dropped;
      await spend(2n);
      expect(await of(spending)).toBe('3');
    },
  );

  it('stays in memory when documents are dropped long after it was read', async () => {
    const spending = spendingOver();
    await spend(1n);
    expect(await of(spending)).toBe('1');
    const later = performance.now() + 60_000;
    jest.spyOn(performance, 'now').mockReturnValueOnce(later);
    shelf.tellOfLoss();
    expect(await of(spending)).toBe('1');
    expect(shelf.reads).toBe(1);
  });

  it('is unknown before a report that this build cannot read is passed, and then read anew', async () => {
    const spending = spendingOver();
    await spend(1n);
    await of(spending);
    const stored = { id: randomUUID(), type: 'UsageReported', version: 99, data: {} };
    const newer = [{ ...stored, metadata: metadataAt(0) }];
    const { position } = await shelf.log.append('newer', newer, 'no-stream');
    shelf.folded = 1;
    await expect(of(spending)).rejects.toThrow(Unavailable);
    shelf.folded = Infinity;
    shelf.history.push({ position, usage: shelf.history.at(-1)?.usage });
    expect(await of(spending)).toBe('1');
    expect(shelf.reads).toBe(3);
  });

  it('is not told from knowledge that is too old', async () => {
    const silent = logWith(shelf.log, {
      head: () => Promise.reject(new Unavailable('event log', new Error('gone'))),
    });
    await expect(of(spendingOver(silent))).rejects.toThrow(Unavailable);
    await expect(of(spendingOver(silent, 60_000))).rejects.toThrow(Unavailable);
  });

  it('may be as old as a log server lets it be', async () => {
    let isGone = false;
    const over = logWith(shelf.log, {
      head: () =>
        isGone ? Promise.reject(new Unavailable('event log', new Error('gone'))) : shelf.log.head(),
    });
    const spending = spendingOver(over, 60_000);
    await spend(1n);
    expect(await of(spending)).toBe('1');
    isGone = true;
    await spend(2n);
    expect(await of(spending)).toBe('1');
  });
});
