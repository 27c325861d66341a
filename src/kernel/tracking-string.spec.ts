import { describe, expect, it } from '@jest/globals';
import { isTrackingString } from './tracking-string.js';

/** Every character of Unicode White_Space, and U+FEFF. */
const WHITE_SPACE: readonly string[] = [
  ...['\t', '\n', '\v', '\f', '\r', ' ', '\u0085', '\u00A0', '\u1680'],
  ...['\u2000', '\u2001', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2007'],
  ...['\u2008', '\u2009', '\u200A', '\u2028', '\u2029', '\u202F', '\u205F', '\u3000', '\uFEFF'],
];

describe('a tracking string', () => {
  it.each([
    ['one character', 'a'],
    ['a dot', '.'],
    ['two dots', '..'],
    ['512 characters', 'a'.repeat(512)],
    ['512 characters beyond the basic plane', '😀'.repeat(512)],
    ['inner white space', 'a b\tc'],
    ['a combining sequence as it is', 'e\u0301'],
    ['a slash, a percent sign and a plus', '/%+'],
    ['a zero-width space, which is no white space', '\u200ba'],
    ['a control character other than NUL', 'a\u0001'],
  ])('may be %s', (_, value) => {
    expect(isTrackingString(value)).toBe(true);
  });

  it.each([
    ['empty', ''],
    ['513 characters', 'a'.repeat(513)],
    ['513 characters beyond the basic plane', '😀'.repeat(513)],
    ['NUL', '\0'],
    ['NUL within', 'a\0b'],
    ['NUL at the end', 'ab\0'],
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate', '\udc00a'],
    ['a number', 5],
    ['null', null],
    ['an array of one string', ['a']],
  ])('is not %s', (_, value) => {
    expect(isTrackingString(value)).toBe(false);
  });

  it.each(WHITE_SPACE)('is not %j, and has it neither before nor after it', (space) => {
    for (const value of [space, `${space}a`, `a${space}`])
      expect(isTrackingString(value)).toBe(false);
  });
});
