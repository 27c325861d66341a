import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nanoOf, nanoText, plainDecimal, usdText } from './money.js';

describe('an amount', () => {
  it.each([
    [0, '0', '0.00'],
    [25, '25', '25.00'],
    [0.1, '0.1', '0.10'],
    [1e-9, '0.000000001', '0.000000001'],
    [1.5e-7, '0.00000015', '0.00000015'],
    [123456789.25, '123456789.25', '123456789.25'],
    [1e21, '1000000000000000000000', '1000000000000000000000.00'],
    [1.25e22, '12500000000000000000000', '12500000000000000000000.00'],
    [-0.5, '-0.5', '-0.50'],
  ])('%p is written without an exponent, and with two decimals at least', (value, plain, usd) => {
    expect(plainDecimal(value)).toBe(plain);
    expect(usdText(value)).toBe(usd);
  });

  it('is written as exactly as the API sent it', () => {
    const amounts = fc.double({ min: -1e30, max: 1e30, noNaN: true });
    const isExact = (value: number): boolean => Number(plainDecimal(value)) === value;
    fc.assert(fc.property(amounts, isExact));
  });

  it('has whole units of 10⁻⁹, which are written as they were read', () => {
    const nanos = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
    fc.assert(fc.property(nanos, (nano) => nanoOf(Number(nanoText(nano))) === nano));
  });
});
