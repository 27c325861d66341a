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

/** Returns the length of a well-formed string in Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
