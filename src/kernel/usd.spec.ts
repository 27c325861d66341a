import { describe, expect, it } from '@jest/globals';
import { Big } from 'big.js';
import fc from 'fast-check';
import { decimalUsd, numberUsd, parseUsd } from './usd.js';

/** Every amount that a text can have, in 10⁻⁹ USD. */
const amounts = fc.bigInt({ min: 0n, max: 10n ** 15n });

/** Rounds the shortest decimal form of a number by another library. */
function naive(value: number): bigint {
  return BigInt(new Big(value).times(1e9).round(0, Big.roundHalfEven).toFixed());
}

describe('an amount of a report', () => {
  it.each<[unknown, bigint]>([
    [0, 0n],
    [-0, 0n],
    [1, 1_000_000_000n],
    [0.1, 100_000_000n],
    [0.1 + 0.2, 300_000_000n],
    [1e-7, 100n],
    [1.5e-9, 2n],
    [2.5e-9, 2n],
    [0.5e-9, 0n],
    [0.500000001e-9, 1n],
    [0.0000000015, 2n],
    [5e-324, 0n],
    [1_000_000, 10n ** 15n],
    [999_999.9999999999, 10n ** 15n],
    ['0', 0n],
    ['0.000000001', 1n],
    ['1.10', 1_100_000_000n],
    ['1000000', 10n ** 15n],
    ['1000000.000000000', 10n ** 15n],
    ['01', 1_000_000_000n],
    ['0.1000000000', 100_000_000n],
    ['1E-7', 100n],
    ['1e-7', 100n],
    ['0E-9', 0n],
    ['0E-27', 0n],
    ['0E+400', 0n],
    ['0e-400', 0n],
    ['1.20E+3', 1_200_000_000_000n],
    ['1e3', 1_000_000_000_000n],
    ['1e6', 10n ** 15n],
    ['100E-11', 1n],
    [`1${'0'.repeat(58)}E-58`, 1_000_000_000n],
  ])('%j is read as %s', (value, amount) => {
    expect(parseUsd(value)).toBe(amount);
  });

  it.each([
    -1e-300,
    -1,
    1_000_000.0000000001,
    1e7,
    1e21,
    Number.POSITIVE_INFINITY,
    Number.NaN,
    '',
    '-0',
    '+1',
    '.5',
    '1.',
    '1e',
    'e1',
    '1e1.5',
    '1E-10',
    '11E-10',
    '1e7',
    '1.0000001e6',
    '0e401',
    '0e-401',
    '1e-401',
    '0e99999999999999999999',
    `0.${'0'.repeat(63)}`,
    'Infinity',
    'NaN',
    ' 1',
    '1\n',
    '1,5',
    '0x1',
    '٣',
    '0.0000000001',
    '1000000.000000001',
    '9999999',
    '10000000',
    '9'.repeat(100_000),
    null,
    undefined,
    true,
    1n,
    [1],
    {},
  ])('%p is refused', (value) => {
    expect(parseUsd(value)).toBeNull();
  });

  it('is a number in its shortest decimal form, rounded half to even', () => {
    const anyNumber = fc.oneof(
      fc.double({ min: 0, max: 1_000_000, noNaN: true }),
      fc.double({ min: 0, max: 1e-6, noNaN: true }),
      // Numbers that lie between two amounts, as far from the one as from the other.
      fc.integer({ min: 0, max: 99_999 }).map((half) => Number(`${half}5e-10`)),
    );
    fc.assert(
      fc.property(anyNumber, (value) => expect(parseUsd(value)).toBe(naive(value))),
      { numRuns: 2_000 },
    );
  });
});

describe('a decimal of a report', () => {
  it('is read as another library reads it, or refused where it is no whole multiple of 10⁻⁹ USD', () => {
    const digits = fc.string({
      unit: fc.constantFrom('0', '1', '2', '5', '9'),
      minLength: 1,
      maxLength: 18,
    });
    const exponents = fc.option(fc.tuple(fc.constantFrom('e', 'E+', 'E-'), fc.nat(30)));
    const decimals = fc.tuple(digits, fc.option(digits), exponents);
    const read = (text: string): bigint | null => {
      const amount = new Big(text).times(1e9);
      const isAmount = amount.lte(1e15) && amount.eq(amount.round(0));
      return isAmount ? BigInt(amount.toFixed()) : null;
    };
    fc.assert(
      fc.property(decimals, ([whole, fraction, exponent]) => {
        const text = whole + (fraction === null ? '' : `.${fraction}`) + (exponent ?? []).join('');
        expect({ text, amount: parseUsd(text) }).toEqual({ text, amount: read(text) });
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('printing', () => {
  it('as a decimal gives back each amount when it is read', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        const text = decimalUsd(amount);
        expect(parseUsd(text)).toBe(amount);
        expect(text).not.toMatch(/\.\d*0$/);
      }),
    );
  });

  it.each([
    [0n, '0'],
    [1n, '0.000000001'],
    [1_000_000_000n, '1'],
    [10_000_000_000n, '10'],
    [-1n, '-0.000000001'],
    [-1_230_000_000n, '-1.23'],
    [1_230_000_000n, '1.23'],
    [123_456_789_012_345_678_901_234_567_890n, '123456789012345678901.23456789'],
  ])('%s as a decimal gives %s', (amount, text) => {
    expect(decimalUsd(amount)).toBe(text);
  });

  it('as a number gives the nearest one, also beyond 64 bits', () => {
    const upTo53Bits = fc.bigInt({ min: 0n, max: 2n ** 53n });
    // Both are exact as doubles, so that their quotient is the nearest one.
    fc.assert(fc.property(upTo53Bits, (it) => expect(numberUsd(it)).toBe(Number(it) / 1e9)));
    expect(numberUsd(2n ** 70n)).toBe(2 ** 70 / 1e9);
    // 2⁵³ + 1 lies between two doubles; the least amount above it decides.
    expect(numberUsd((2n ** 53n + 1n) * 10n ** 9n)).toBe(2 ** 53);
    expect(numberUsd((2n ** 53n + 1n) * 10n ** 9n + 1n)).toBe(2 ** 53 + 2);
  });

  it('gives exactly 1 USD for a million times a millionth', () => {
    const millionth = parseUsd(0.000001) ?? 0n;
    let sum = 0n;
    for (let count = 0; count < 1_000_000; count += 1) sum += millionth;
    expect(decimalUsd(sum)).toBe('1');
  });
});
