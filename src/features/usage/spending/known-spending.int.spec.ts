import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { hashOf, recordOf, reportOf } from '../../../../test/support/histories/usage.js';
import { logWith } from '../../../../test/support/specs/log-with.js';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import type { EventLog } from '../../../event-sourcing/event-log/event-log.js';
import { EventRegistry } from '../../../event-sourcing/event-log/event-registry.js';
import { SqliteEventLog } from '../../../event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { Lag } from '../../../event-sourcing/projections/lag.js';
import { Unavailable, Unreadable } from '../../../kernel/errors.js';
import { type Position, START } from '../../../kernel/position.js';
import type { LimitedKey } from '../../keys/published/spending.js';
import { addedUsage, type KeyUsage, withUsage } from '../domain/key-usage.js';
import type { UsageRecord } from '../domain/usage-record.js';
import { usageEvents } from '../domain/usage.events.js';
import { KnownSpending } from './known-spending.js';

const NOON = '2026-03-04T12:00:00.000Z';
const KEY: LimitedKey = {
  hash: hashOf('a'),
  account_id: 'account-1',
  limit: 100,
  limit_reset: null,
  include_byok_in_limit: false,
};
const USD = 10n ** 9n;

describe('the spending of a key', () => {
  const registry = new EventRegistry(usageEvents);
  let log: SqliteEventLog;
  /** The positions of the reports, and the use of the key after each of them. */
  let history: { readonly position: Position; readonly usage: KeyUsage | undefined }[];
  /** How many reports the directory has folded. */
  let folded: number;
  let reads: number;
  /** What happens while the directory reads. */
  let meanwhile: () => Promise<unknown>;
  /** Tells that the documents of the directory were dropped. */
  let tellOfLoss: () => void;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    history = [{ position: START, usage: undefined }];
    folded = Infinity;
    reads = 0;
    meanwhile = () => Promise.resolve();
  });

  afterEach(() => log.close());

  async function report(...records: UsageRecord[]): Promise<void> {
    const data = reportOf(records);
    const encoded = registry.encode({ type: 'UsageReported', data });
    const stored = { id: randomUUID(), ...encoded, metadata: metadataAt(0) };
    const { position } = await log.append(`report-${randomUUID()}`, [stored], 'no-stream');
    const added = addedUsage(data).find(({ hash }) => hash === KEY.hash);
    const before = history.at(-1)?.usage;
    history.push({ position, usage: added ? withUsage(before, added) : before });
  }

  const spend = (amount: bigint, occurred_at = NOON, byok_cost = 0n): Promise<void> =>
    report(recordOf({ cost: amount * USD, byok_cost: byok_cost * USD, occurred_at }));

  function spendingOver(over: EventLog = log, maxStalenessMs?: number): KnownSpending {
    const freshness = {
      eachRequest: maxStalenessMs === undefined,
      maxStalenessMs: maxStalenessMs ?? 0,
    };
    const directory = {
      usageOf: async () => {
        reads += 1;
        await meanwhile();
        const at = history[Math.min(folded, history.length - 1)];
        return { usage: at?.usage, checkpoint: at?.position ?? START };
      },
    };
    const onLost = (listener: () => void): void => void (tellOfLoss = listener);
    return new KnownSpending(over, registry, freshness, directory, { lag: new Lag(), onLost });
  }

  const of = async (
    spending: KnownSpending,
    changes: Partial<LimitedKey> = {},
    now = NOON,
  ): Promise<string> =>
    (await spending.of({ ...KEY, ...changes }, new Date(now), performance.now())).toFixed();

  it('is read once, and then follows the log', async () => {
    const spending = spendingOver();
    await spend(1n);
    expect(await of(spending)).toBe('1');
    await spend(2n);
    await report(recordOf({ key_hash: hashOf('b') }));
    expect(await of(spending)).toBe('3');
    expect(reads).toBe(1);
  });

  it('of a key without a limit is not asked for', async () => {
    await spend(1n);
    expect(await of(spendingOver(), { limit: null })).toBe('0');
    expect(reads).toBe(0);
  });

  it('counts each report once, wherever the directory is and whatever comes meanwhile', async () => {
    const amounts = fc.array(fc.bigInt({ min: 1n, max: 9n }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.record({ before: amounts, during: amounts, after: amounts }),
        fc.nat(12),
        fc.boolean(),
        async ({ before, during, after }, at, isHeard) => {
          const spending = spendingOver();
          for (const amount of before) await spend(amount);
          // The directory may be ahead of what the memory has heard, or behind it.
          folded = at;
          let isFirst = true;
          meanwhile = async () => {
            if (!isFirst) return;
            isFirst = false;
            for (const amount of during) await spend(amount);
            // A decision about another key looks at the log meanwhile.
            if (isHeard) await of(spending, { hash: hashOf('b') });
          };
          await of(spending);
          for (const amount of after) await spend(amount);
          const total = BigInt(history.at(-1)?.usage?.totals.usage ?? '0') / USD;
          expect(await of(spending)).toBe(String(total));
        },
      ),
      { numRuns: 60 },
    );
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
    expect(reads).toBe(8);
  });

  it('begins anew with a window, and counts what was reported ahead in its own', async () => {
    const spending = spendingOver();
    const daily = { limit_reset: 'daily' } as const;
    await spend(1n);
    expect(await of(spending, daily, '2026-03-04T23:59:59.999Z')).toBe('1');
    await spend(2n, '2026-03-05T00:01:00.000Z');
    expect(await of(spending, daily, '2026-03-04T23:59:59.999Z')).toBe('1');
    expect(await of(spending, daily, '2026-03-05T00:00:00.000Z')).toBe('2');
    expect(reads).toBe(2);
  });

  it.each(['after it was read', 'while it is read'])(
    'is read anew from a log that took the place of the one before %s',
    async (when) => {
      let current: EventLog = log;
      const spending = spendingOver(
        logWith(log, {
          head: () => current.head(),
          follow: (...args) => current.follow(...args),
        }),
      );
      await spend(1n);
      await spend(2n);
      const replace = async (): Promise<void> => {
        meanwhile = () => Promise.resolve();
        await log.close();
        const older = new SqliteEventLog(':memory:');
        [log, current] = [older, older];
        await of(spending, { hash: hashOf('b') });
      };
      if (when === 'while it is read') meanwhile = replace;
      expect(await of(spending)).toBe('3');
      if (when === 'after it was read') await replace();
      history = history.slice(0, 1);
      await spend(5n);
      expect(await of(spending)).toBe('5');
    },
  );

  it.each(['after it was read', 'while it is read'])(
    'is read anew when it shows %s that documents were dropped before',
    async (when) => {
      const spending = spendingOver();
      await spend(1n);
      const dropped = history;
      history = history.map(({ position }) => ({ position, usage: undefined }));
      meanwhile = async () => {
        if (when === 'while it is read') tellOfLoss();
      };
      expect(await of(spending)).toBe('0');
      if (when === 'after it was read') tellOfLoss();
      history = dropped;
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
    tellOfLoss();
    expect(await of(spending)).toBe('1');
    expect(reads).toBe(1);
  });

  it('is unknown before a report that this build cannot read is passed, and then read anew', async () => {
    const spending = spendingOver();
    await spend(1n);
    await of(spending);
    const stored = { id: randomUUID(), type: 'UsageReported', version: 99, data: {} };
    const newer = [{ ...stored, metadata: metadataAt(0) }];
    const { position } = await log.append('newer', newer, 'no-stream');
    await expect(of(spending)).rejects.toThrow(Unreadable);
    history.push({ position, usage: history.at(-1)?.usage });
    expect(await of(spending)).toBe('1');
    expect(reads).toBe(3);
  });

  it('is not told from knowledge that is too old', async () => {
    const silent = logWith(log, {
      head: () => Promise.reject(new Unavailable('event log', new Error('gone'))),
    });
    await expect(of(spendingOver(silent))).rejects.toThrow(Unavailable);
    await expect(of(spendingOver(silent, 60_000))).rejects.toThrow(Unavailable);
  });

  it('may be as old as a log server lets it be', async () => {
    let isGone = false;
    const over = logWith(log, {
      head: () =>
        isGone ? Promise.reject(new Unavailable('event log', new Error('gone'))) : log.head(),
    });
    const spending = spendingOver(over, 60_000);
    await spend(1n);
    expect(await of(spending)).toBe('1');
    isGone = true;
    await spend(2n);
    expect(await of(spending)).toBe('1');
  });
});
