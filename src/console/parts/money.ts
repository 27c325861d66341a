const NANO_DIGITS = 9;

/** Returns a number as a plain decimal, as exact as the API sent it: 1e-9 is 0.000000001. */
export function plainDecimal(value: number): string {
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const point = whole.length + Number(exponent);
  const digits = (whole + fraction).padStart(1 - Number(exponent) + fraction.length, '0');
  const start = Math.max(point, 1);
  const padded = digits.padEnd(point, '0');
  const cents = padded.slice(start);
  return sign + padded.slice(0, start) + (cents === '' ? '' : `.${cents}`);
}

/** Returns an amount in USD with at least two decimals. */
export function usdText(value: number): string {
  const [whole = '', fraction = ''] = plainDecimal(value).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

/** Returns an amount in whole 10⁻⁹ USD, the unit in which the service counts. */
export function nanoOf(value: number): bigint {
  const [whole = '', fraction = ''] = plainDecimal(Math.abs(value)).split('.');
  const next = Number(fraction[NANO_DIGITS] ?? 0);
  const nano = BigInt(whole + fraction.padEnd(NANO_DIGITS, '0').slice(0, NANO_DIGITS));
  const rounded = next >= 5 ? nano + 1n : nano;
  return value < 0 ? -rounded : rounded;
}

/** Returns an amount of `nanoOf` in USD, with at least two decimals. */
export function nanoText(nano: bigint): string {
  const digits = String(nano < 0n ? -nano : nano).padStart(NANO_DIGITS + 1, '0');
  const fraction = digits.slice(-NANO_DIGITS).replace(/0{1,7}$/, '');
  return `${nano < 0n ? '-' : ''}${digits.slice(0, -NANO_DIGITS)}.${fraction}`;
}
