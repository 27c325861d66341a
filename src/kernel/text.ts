/**
 * Whether a string can be stored and given back unchanged everywhere: well-formed Unicode without NUL.
 * (Databases and UTF-8 itself cannot hold a lone surrogate.)
 */
export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
