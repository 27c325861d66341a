/** An amount of money in whole 10⁻⁹ USD. Sums of such amounts are exact and have no bound. */
export type NanoUsd = bigint;

/** The greatest amount that one record of a report may have, in USD. */
export const MOST_USD = 1_000_000;

const DECIMALS = 9;
const NANO_USD = 10 ** DECIMALS;
const NANO_USD_PER_USD = BigInt(NANO_USD);
const MOST_NANO_USD = BigInt(MOST_USD) * NANO_USD_PER_USD;

/** The form in which the decimal types of languages print numbers, such as `1E-7` and `0E-9`. */
const DECIMAL = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const LONGEST_TEXT = 64;
/** The greatest exponent, and the least below zero, as powers of ten take memory and time. */
const MOST_EXPONENT = 400;

/**
 * Reads an amount of a report (docs/api.md 13.1). A text is taken exactly. A number is taken in its
 * shortest decimal form, rounded to 10⁻⁹ USD, half to even, so that no result of floating-point
 * arithmetic is refused.
 * @returns null for what is no amount, and for one not from 0 to `MOST_USD` before it is rounded.
 */
export function parseUsd(value: unknown): NanoUsd | null {
  if (typeof value === 'string') {
    const amount = exact(value);
    return amount !== null && amount <= MOST_NANO_USD ? amount : null;
  }
  if (typeof value !== 'number' || !(value >= 0 && value <= MOST_USD)) return null;
  const scaled = value * NANO_USD;
  const nearest = Math.round(scaled);
  // The product is less than an eighth off, so only near a half does it matter how a number ends.
  if (Math.abs(scaled - nearest) < 0.25) return BigInt(nearest);
  const text = String(value);
  return exact(text) ?? rounded(text);
}

/** Returns an amount in USD as an exact decimal, without an exponent and without needless zeros. */
export function decimalUsd(amount: NanoUsd): string {
  if (amount < 0n) return `-${decimalUsd(-amount)}`;
  const digits = String(amount).padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  const whole = digits.slice(0, -DECIMALS);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

export function numberUsd(amount: NanoUsd): number {
  return Number(decimalUsd(amount));
}

/** Reads a decimal in USD; null for another form, and for no whole multiple of 10⁻⁹ USD. */
function exact(text: string): NanoUsd | null {
  if (text.length > LONGEST_TEXT) return null;
  const [, whole, fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  if (whole === undefined || Math.abs(Number(exponent)) > MOST_EXPONENT) return null;
  const digits = whole + fraction;
  const zeros = DECIMALS + Number(exponent) - fraction.length;
  if (zeros >= 0) return BigInt(digits + '0'.repeat(zeros));
  const divisor = 10n ** BigInt(-zeros);
  const multiple = BigInt(digits);
  return multiple % divisor === 0n ? multiple / divisor : null;
}

/** Rounds a number in its shortest decimal form, which may have an exponent. */
function rounded(text: string): NanoUsd {
  const [mantissa = '', exponent = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const divisor = 10n ** BigInt(fraction.length - Number(exponent));
  const digits = BigInt(whole + fraction) * NANO_USD_PER_USD;
  const amount = digits / divisor;
  const twiceTheRest = 2n * (digits % divisor);
  const isUp = twiceTheRest > divisor || (twiceTheRest === divisor && amount % 2n === 1n);
  return isUp ? amount + 1n : amount;
}
