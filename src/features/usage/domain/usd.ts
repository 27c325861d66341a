/** An amount of money in whole 10⁻⁹ USD. Sums of such amounts are exact and have no bound. */
export type NanoUsd = bigint;

/** The greatest amount that one record of a report may have, in USD. */
export const MOST_USD = 1_000_000;

const DECIMALS = 9;
const NANO_USD_PER_USD = 10n ** BigInt(DECIMALS);
const EXACT = /^(0|[1-9]\d{0,6})(?:\.(\d{1,9}))?$/;

/**
 * Reads an amount of a report (docs/api.md 13.1). A text is taken exactly. A number is taken as its shortest decimal form,
 * and rounded to 10⁻⁹ USD, half to even, so that no result of floating-point arithmetic is refused.
 * @returns null for a value that is no amount, and for one that is not from 0 to `MOST_USD` before it is rounded.
 */
export function parseUsd(value: unknown): NanoUsd | null {
  if (typeof value === 'string') {
    const amount = exact(value);
    return amount !== null && amount <= exactly(MOST_USD) ? amount : null;
  }
  if (typeof value !== 'number' || !(value >= 0 && value <= MOST_USD)) return null;
  return exactly(value);
}

/** Returns an amount in USD as an exact decimal, without an exponent and without needless zeros. */
export function decimalUsd(amount: NanoUsd): string {
  const digits = String(amount).padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  const whole = digits.slice(0, -DECIMALS);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

export function numberUsd(amount: NanoUsd): number {
  return Number(decimalUsd(amount));
}

/** Reads a decimal in USD; null for a text of another form, and for one of ten million or more. */
function exact(text: string): NanoUsd | null {
  const [, whole, fraction = ''] = EXACT.exec(text) ?? [];
  return whole === undefined ? null : BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

function exactly(value: number): NanoUsd {
  return exact(String(value)) ?? rounded(value);
}

/** Rounds a number in its shortest decimal form, which may have an exponent. */
function rounded(value: number): NanoUsd {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const divisor = 10n ** BigInt(fraction.length - Number(exponent));
  const digits = BigInt(whole + fraction) * NANO_USD_PER_USD;
  const amount = digits / divisor;
  const twiceTheRest = 2n * (digits % divisor);
  const isUp = twiceTheRest > divisor || (twiceTheRest === divisor && amount % 2n === 1n);
  return isUp ? amount + 1n : amount;
}
