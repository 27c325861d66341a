import { describe, expect, it } from '@jest/globals';
import { isTrackingString } from './tracking-string.js';

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
    ['NUL', 'a\0b'],
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate', '\udc00a'],
    ['leading space', ' a'],
    ['trailing space', 'a '],
    ['a trailing line feed', 'a\n'],
    ['a leading no-break space', '\u00a0a'],
    ['a leading next-line character', '\u0085a'],
    ['a trailing ideographic space', 'a\u3000'],
    ['a leading byte-order mark', '\ufeffa'],
    ['a number', 5],
    ['null', null],
    ['an array of one string', ['a']],
  ])('is not %s', (_, value) => {
    expect(isTrackingString(value)).toBe(false);
  });
});
