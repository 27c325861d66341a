/**
 * Whether every store returns a string unchanged: it is well-formed Unicode without NUL.
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

const CUT = '…';

/** Cuts a text to `max` code points. A text that was cut ends with an ellipsis, which counts. */
export function cutTo(text: string, max: number): string {
  // A code point takes one or two UTF-16 units.
  if (text.length <= max || (text.length <= 2 * max && codePoints(text) <= max)) return text;
  return (
    Array.from(text.slice(0, 2 * max))
      .slice(0, max - 1)
      .join('') + CUT
  );
}

/** Compares two texts for sorting, by their bytes in UTF-8. That is the order of code points; the order of `<` is not. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The memory of an empty string and of the reference to the string. */
const BYTES_OF_A_STRING = 28;
const TWO_BYTES_A_CHARACTER = /[\u0100-\uffff]/;

/** Estimates the memory that a string takes, in bytes. One wide character makes every character wide. */
export function bytesOf(text: string): number {
  return BYTES_OF_A_STRING + (TWO_BYTES_A_CHARACTER.test(text) ? 2 : 1) * text.length;
}

/** Estimates the memory of the texts directly in a record or a list, in bytes. Nested texts do not count. */
export function bytesOfTexts(record: object): number {
  let bytes = 0;
  for (const value of Object.values(record)) {
    if (typeof value === 'string') bytes += bytesOf(value);
  }
  return bytes;
}

/** Gives the length of a well-formed string in Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
