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

export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

export interface TextBounds {
  /** The smallest length, in code points. Default 1. */
  readonly min?: number;
  /** The greatest length, in code points. Default 512. */
  readonly max?: number;
  /** Whether the text needs a character that is not white space. Default false. */
  readonly visible?: boolean;
}

export function isText(
  value: unknown,
  { min = 1, max = TEXT_MAX_LENGTH, visible = false }: TextBounds,
): value is string {
  if (typeof value !== 'string' || !isCleanText(value)) return false;
  if (visible && isBlank(value)) return false;
  const length = codePoints(value);
  return length >= min && length <= max;
}

/** Parses a whole number in decimal digits; undefined for another form and out of bounds. */
export function parseWhole(text: string, least = 0, most = Infinity): number | undefined {
  const number = /^[0-9]+$/.test(text) ? Number(text) : NaN;
  return number >= least && number <= most ? number : undefined;
}

/** Compares two strings by their bytes in UTF-8, for sorting: unlike `<`, by code points. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Returns the length of a well-formed string in Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
