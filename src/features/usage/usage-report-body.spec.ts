import { describe, expect, it } from '@jest/globals';
import { hashOf, recordOf } from '../../../test/support/histories/usage.js';
import { Refusal } from '../../kernel/errors.js';
import { mintKeyString } from '../../kernel/key-string.js';
import { atOnce } from '../../../test/support/specs/at-once.js';
import { MOST_RECORDS, readRecords } from './usage-report-body.js';

const plain = { key_hash: hashOf('a'), cost: 1 };

/** Gives the paths of the faults of a body. */
function faultsOf(body: unknown): string[] {
  return issuesOf(body).map(({ path }) => path);
}

function issuesOf(body: unknown): { path: string; message: string }[] {
  try {
    atOnce(readRecords(body));
  } catch (error) {
    if (error instanceof Refusal && error.code === 'request-invalid') {
      return error.details?.['issues'] as { path: string; message: string }[];
    }
    throw error;
  }
  return [];
}

/** Gives the faults of a report whose second record has these fields. */
const faultsWith = (changes: object): string[] =>
  faultsOf({ records: [plain, { ...plain, ...changes }] });

describe('the body of a report', () => {
  it('is read with its defaults', () => {
    const nothing = { byok_cost: null, requests: null, occurred_at: null, user: null };
    const expected = recordOf();
    expect(atOnce(readRecords({ records: [plain, { ...plain, ...nothing }] }))).toEqual([
      expected,
      expected,
    ]);
  });

  it('is read with all fields', () => {
    const full = {
      key_hash: hashOf('b'),
      cost: '0.000000001',
      byok_cost: 0.1 + 0.2,
      requests: 0,
      occurred_at: '2026-03-01T00:00:00.1239Z',
      user: 'ada',
    };
    expect(atOnce(readRecords({ records: [full] }))).toEqual([
      {
        key_hash: hashOf('b'),
        cost: 1n,
        byok_cost: 300_000_000n,
        requests: 0,
        occurred_at: '2026-03-01T00:00:00.123Z',
        user: 'ada',
      },
    ]);
  });

  it('takes 1,000 records, and no more', () => {
    const records = Array.from({ length: MOST_RECORDS }, () => plain);
    expect(atOnce(readRecords({ records }))).toHaveLength(1_000);
    expect(faultsOf({ records: [...records, plain] })).toEqual(['records']);
  });

  it.each([null, [], 'text', 7, {}, { records: null }, { records: [] }, { records: {} }])(
    'is refused without records: %j',
    (body) => {
      expect(issuesOf(body)).toEqual([
        { path: 'records', message: 'must be an array of 1 to 1000 records' },
      ]);
    },
  );

  it.each([
    [
      'key_hash',
      [null, undefined, '', 'a', hashOf('A'), `${hashOf('a')}\n`, hashOf('g'), 7, [hashOf('a')]],
    ],
    ['cost', [null, undefined, -1, 1e7, '1e7', '-0', '0.0000000001', true, {}]],
    ['byok_cost', [-1, 1_000_000.0000000001, '', false]],
    ['requests', [-1, 0.5, 1_000_001, '1', true]],
    ['occurred_at', ['', '2026-03-01', '2026-02-30T00:00:00Z', '2026-03-01T00:00:00+00:00', 7]],
    ['user', ['', ' ada', 'a\0', '\ud800', 'x'.repeat(513), 7]],
  ])('names the field %s with a wrong value', (name, values) => {
    for (const value of values)
      expect(faultsWith({ [name]: value })).toEqual([`records.1.${name}`]);
  });

  it('names every fault, however many there are', () => {
    const bad = {
      key_hash: 'x',
      cost: 'x',
      byok_cost: 'x',
      requests: 'x',
      occurred_at: 'x',
      user: '',
    };
    const records = Array.from({ length: MOST_RECORDS }, (_, index) =>
      index === 500 ? plain : bad,
    );
    const paths = faultsOf({ records });
    expect(paths).toHaveLength(999 * 6);
    expect(new Set(paths).size).toBe(paths.length);
    expect(faultsOf({ records: [7, plain, null, []] })).toEqual([
      'records.0',
      'records.2',
      'records.3',
    ]);
  });

  it('has no other fields, whatever their value', () => {
    const body = { records: [{ ...plain, tokens: null }, plain], more: null, constructor: 1 };
    expect(faultsOf(body)).toEqual(['more', 'constructor', 'records.0.tokens']);
    const inherited = JSON.parse(
      `{"__proto__":{},"records":[{"__proto__":{"cost":1}}]}`,
    ) as unknown;
    expect(faultsOf(inherited)).toEqual([
      '__proto__',
      'records.0.__proto__',
      'records.0.key_hash',
      'records.0.cost',
    ]);
  });

  it('never has a key string or a long name in the answer', () => {
    const keyString = mintKeyString('sk-v1-');
    const body = { [keyString]: 1, records: [{ ...plain, [keyString]: 1, ['x'.repeat(100)]: 1 }] };
    expect(faultsOf(body)).toEqual(['', 'records.0', `records.0.${'x'.repeat(64)}`]);
  });
});
