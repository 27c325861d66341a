/** As exact as a double: its shortest text has 17 digits at most. */
const PLAIN = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 17 });

const nanoFormat = (least: number): Intl.NumberFormat =>
  new Intl.NumberFormat('en', {
    useGrouping: false,
    minimumFractionDigits: least,
    maximumFractionDigits: 9,
  });

const ALL_OF_NANO = nanoFormat(9);
const CENTS_OF_NANO = nanoFormat(2);

/** Returns a number as a plain decimal, as exact as the API sent it: 1e-9 is 0.000000001. */
export const plainDecimal = (value: number): string => PLAIN.format(`${value}` as const);

/** Returns an amount in USD with at least two decimals. */
export function usdText(value: number): string {
  const [whole = '', fraction = ''] = plainDecimal(value).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

/** Returns an amount in whole 10⁻⁹ USD, the unit in which the service counts. */
export const nanoOf = (value: number): bigint =>
  BigInt(ALL_OF_NANO.format(`${value}` as const).replace('.', ''));

/** Returns an amount of `nanoOf` in USD, with at least two decimals. */
export const nanoText = (nano: bigint): string => CENTS_OF_NANO.format(`${nano}e-9` as `${number}`);
