import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hashOf, randomRecords, recordOf } from '../../../../test/support/histories/usage.js';
import { atOnce } from '../../../../test/support/specs/at-once.js';
import { Refusal } from '../../../kernel/errors.js';
import { checkAge, contentHash, type UsageRecord } from './usage-record.js';

const HASH = hashOf('a');

function hashOfRecords(records: readonly UsageRecord[]): string {
  return atOnce(contentHash(records));
}

describe('the hash of a content', () => {
  it('is the SHA-256 of its RFC 8785 text, where an absent time and user stay absent', () => {
    const records = [
      recordOf({ cost: 1n, byok_cost: 10n ** 15n, requests: 0 }),
      recordOf({ occurred_at: '2026-03-01T00:00:00.000Z', user: 'Zoë "z" \u2028' }),
    ];
    const text =
      `[{"byok_cost":"1000000000000000","cost":"1","key_hash":"${HASH}","requests":0},` +
      `{"byok_cost":"0","cost":"1000000000","key_hash":"${HASH}",` +
      `"occurred_at":"2026-03-01T00:00:00.000Z","requests":1,"user":"Zoë \\"z\\" \u2028"}]`;
    expect(hashOfRecords(records)).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('differs with every field and with the order of records', () => {
    const one = randomRecords('2026-03-01T00:00:00Z', 2);
    fc.assert(
      fc.property(one, one, (a, b) => {
        const isSame = fc.stringify(a) === fc.stringify(b);
        expect(hashOfRecords([a]) === hashOfRecords([b])).toBe(isSame);
        expect(hashOfRecords([a, b]) === hashOfRecords([b, a])).toBe(isSame);
        expect(hashOfRecords([a])).toBe(hashOfRecords([{ ...a }]));
        for (const changes of [
          { key_hash: hashOf('0') },
          { cost: a.cost + 1n },
          { byok_cost: a.byok_cost + 1n },
          { requests: a.requests + 1 },
          { occurred_at: null },
          { user: 'dan' },
        ]) {
          expect(hashOfRecords([{ ...a, ...changes }])).not.toBe(hashOfRecords([a]));
        }
      }),
    );
  });
});

describe('the age of a record', () => {
  const now = new Date('2026-03-08T12:00:00.000Z');

  it.each([
    null,
    '2026-02-01T12:00:00.000Z',
    '2026-03-08T12:00:00.000Z',
    '2026-03-08T12:05:00.000Z',
  ])('is right at %j', (occurred_at) => {
    expect(() => checkAge([recordOf({ occurred_at })], now)).not.toThrow();
  });

  it('is refused with the index of every record that is too old or lies ahead', () => {
    const times = [null, '2026-02-01T11:59:59.999Z', '2026-03-08T12:05:00.001Z', null];
    const check = (): void =>
      checkAge(
        times.map((occurred_at) => recordOf({ occurred_at })),
        now,
      );
    const message = 'must be at most 35 days back and 5 minutes ahead';
    expect(check).toThrow(Refusal);
    expect(check).toThrow(
      expect.objectContaining({
        code: 'occurred-at-out-of-range',
        details: {
          issues: [
            { path: 'records.1.occurred_at', message },
            { path: 'records.2.occurred_at', message },
          ],
        },
      }),
    );
  });
});
