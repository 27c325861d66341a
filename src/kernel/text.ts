/**
 * Whether a string is well-formed Unicode without NUL. Every store returns such a string unchanged.
 * (UTF-8 cannot represent a lone surrogate.)
 */
export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The default maximum length of a text field, in code points. */
export const TEXT_MAX_LENGTH = 512;

const BLANK = /^[\p{White_Space}\uFEFF]*$/u;

/** Whether a text is empty or consists of white space alone. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Compares two strings by their bytes in UTF-8, for sorting. Unlike `<`, it sorts by code points. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The bytes in memory of an empty string and of the reference to the string. */
const BYTES_OF_A_STRING = 28;
const TWO_BYTES_A_CHARACTER = /[\u0100-\uffff]/;

/** Estimates the memory that a string takes, in bytes. One two-byte character makes every character take two bytes. */
export function bytesOf(text: string): number {
  return BYTES_OF_A_STRING + (TWO_BYTES_A_CHARACTER.test(text) ? 2 : 1) * text.length;
}

/** Estimates the memory that the strings directly in a record or list take, in bytes. Nested strings do not count. */
export function bytesOfTexts(record: object): number {
  let bytes = 0;
  for (const value of Object.values(record)) {
    if (typeof value === 'string') bytes += bytesOf(value);
  }
  return bytes;
}

/** Returns the length of a well-formed string in Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
