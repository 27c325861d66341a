/** The maximum size of a page of the audit trail (docs/api.md 1.8). */
export const MOST_ANSWER_BYTES = 2 * 1024 * 1024;

const BYTES_OF_A_VALUE = 8;
/** The bytes in memory of an empty string and of the reference to the string. */
const BYTES_OF_A_STRING = 28;
const TWO_BYTES_A_CHARACTER = /[\u0100-\uffff]/;

/** Estimates the bytes of a JSON value, in memory and in a store: much cheaper than its text. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + BYTES_OF_A_VALUE;
  if (typeof value !== 'object' || value === null) return BYTES_OF_A_VALUE;
  let size = BYTES_OF_A_VALUE;
  for (const member of Object.values(value)) size += BYTES_OF_A_VALUE + sizeOf(member);
  return size;
}

/** Estimates the bytes of a string in memory. One two-byte character doubles all of them. */
export function bytesOf(text: string): number {
  return BYTES_OF_A_STRING + (TWO_BYTES_A_CHARACTER.test(text) ? 2 : 1) * text.length;
}

/** Estimates the bytes in memory of the strings directly in a record or list. */
export function bytesOfTexts(record: object): number {
  let bytes = 0;
  for (const value of Object.values(record)) {
    if (typeof value === 'string') bytes += bytesOf(value);
  }
  return bytes;
}
