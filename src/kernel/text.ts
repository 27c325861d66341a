/**
 * Whether a string can be stored and given back unchanged everywhere: well-formed Unicode without NUL.
 * (Databases and UTF-8 itself cannot hold a lone surrogate.)
 */
export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The longest text that a field takes, in code points, where nothing says otherwise. */
export const TEXT_MAX_LENGTH = 512;

const BLANK = /^[\p{White_Space}\uFEFF]*$/u;

/** Whether a text shows nothing: it is empty, or of white space alone. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

const CUT = '…';

/** A text of so many code points at most: of a longer one the beginning, with an ellipsis as its last. */
export function cutTo(text: string, max: number): string {
  // A code point has one or two units.
  if (text.length <= max || (text.length <= 2 * max && codePoints(text) <= max)) return text;
  return (
    Array.from(text.slice(0, 2 * max))
      .slice(0, max - 1)
      .join('') + CUT
  );
}

/** For sorting: the order of bytes in UTF-8, which is that of code points; that of `<` is not. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Of a string, and of what refers to it. */
const BYTES_OF_A_STRING = 28;
const TWO_BYTES_A_CHARACTER = /[\u0100-\uffff]/;

/** Roughly the bytes that a string takes in memory: one wide character makes all of them wide. */
export function bytesOf(text: string): number {
  return BYTES_OF_A_STRING + (TWO_BYTES_A_CHARACTER.test(text) ? 2 : 1) * text.length;
}

/** The same of the texts that a record or a list holds itself; what is deeper is not counted. */
export function bytesOfTexts(record: object): number {
  let bytes = 0;
  for (const value of Object.values(record)) {
    if (typeof value === 'string') bytes += bytesOf(value);
  }
  return bytes;
}

/** The length of a well-formed string in Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
