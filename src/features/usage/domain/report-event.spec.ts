import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  ACCEPTED_AT,
  hashOf,
  OWNER,
  randomRecords,
  recordOf,
  reportOf,
  WORKSPACE,
} from '../../../../test/support/histories/usage.js';
import { atOnce } from '../../../../test/support/specs/at-once.js';
import { amountsIn, type Amounts, plus } from './amounts.js';
import { amountsOf, contentHash } from './usage-record.js';
import { usageReported } from './usage.events.js';

const [a, b, unknown] = [hashOf('a'), hashOf('b'), hashOf('f')];
const nothing: Amounts = { usage: 0n, byok_usage: 0n, requests: 0n };

const total = (amounts: readonly Amounts[]): Amounts => amounts.reduce(plus, nothing);

describe('what a report says', () => {
  it('is summed up by key, day and user, in the order in which the records name them', () => {
    const records = [
      recordOf({ user: 'ada', cost: 1n, byok_cost: 5n }),
      recordOf({ key_hash: b, cost: 10n, occurred_at: '2026-03-03T23:59:59.999Z' }),
      recordOf({ user: 'ada', cost: 2n, byok_cost: 6n, requests: 7 }),
      recordOf({ cost: 4n, occurred_at: '2026-03-05T00:00:00.000Z', requests: 0 }),
      recordOf({ key_hash: b, cost: 20n, occurred_at: '2026-03-03T00:00:00.000Z' }),
    ];
    expect(reportOf(records)).toEqual({
      account_id: 'account-1',
      report_id: 'report-1',
      content_hash: atOnce(contentHash(records)),
      accepted: 5,
      keys: [
        { hash: a, workspace_id: WORKSPACE, last_used_at: '2026-03-05T00:00:00.000Z' },
        { hash: b, workspace_id: WORKSPACE, last_used_at: '2026-03-03T23:59:59.999Z' },
      ],
      sums: [
        {
          key: 0,
          day: '2026-03-04',
          user: 'ada',
          usage: '3',
          byok_usage: '11',
          requests: '8',
        },
        { key: 1, day: '2026-03-03', user: null, usage: '30', byok_usage: '0', requests: '2' },
        { key: 0, day: '2026-03-05', user: null, usage: '4', byok_usage: '0', requests: '0' },
      ],
      unattributed: [],
      unattributed_sums: [],
    });
  });

  it('counts for the user of the key where it has one, and else for the one that the record names', () => {
    const records = [
      recordOf({ key_hash: hashOf('d'), user: 'ada', cost: 1n }),
      recordOf({ key_hash: hashOf('d'), cost: 2n }),
      recordOf({ user: 'ada', cost: 4n }),
    ];
    const { content_hash, sums } = reportOf(records);
    expect(sums).toMatchObject([
      { key: 0, user: OWNER, usage: '3' },
      { key: 1, user: 'ada', usage: '4' },
    ]);
    // The content that a repeat is compared with is what was sent.
    expect(content_hash).toBe(atOnce(contentHash(records)));
  });

  it('names each hash without a key once, and sums up by day what is unattributed', () => {
    const other = hashOf('e');
    const records = [
      recordOf({ key_hash: unknown, cost: 1n, user: 'ada' }),
      recordOf({ key_hash: other, cost: 2n }),
      recordOf(),
      recordOf({ key_hash: unknown, cost: 4n }),
      recordOf({ key_hash: unknown, cost: 8n, occurred_at: '2026-03-01T00:00:00.000Z' }),
    ];
    expect(reportOf(records)).toMatchObject({
      accepted: 5,
      keys: [{ hash: a, last_used_at: ACCEPTED_AT }],
      sums: [{ key: 0, requests: '1' }],
      unattributed: [unknown, other],
      unattributed_sums: [
        { day: '2026-03-04', usage: '7', byok_usage: '0', requests: '3' },
        { day: '2026-03-01', usage: '8', byok_usage: '0', requests: '1' },
      ],
    });
  });

  it('has every record in exactly one sum, and can be stored', () => {
    const lists = fc.array(randomRecords('2026-03-01T00:00:00Z', 3), { minLength: 1 });
    fc.assert(
      fc.property(lists, (records) => {
        const data = reportOf(records);
        const sums = [...data.sums, ...data.unattributed_sums].map(amountsIn);
        expect(total(sums)).toEqual(total(records.map(amountsOf)));
        const names = data.sums.map(({ key, day, user }) => JSON.stringify([key, day, user]));
        expect(new Set(names).size).toBe(names.length);
        for (const { hash, last_used_at } of data.keys) {
          const times = records
            .filter(({ key_hash }) => key_hash === hash)
            .map(({ occurred_at }) => occurred_at ?? ACCEPTED_AT);
          expect(last_used_at).toBe(times.toSorted().at(-1));
        }
        expect(usageReported.schema.parse(JSON.parse(JSON.stringify(data)))).toEqual(data);
      }),
    );
  });
});
