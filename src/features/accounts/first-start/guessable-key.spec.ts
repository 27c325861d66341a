import { describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../../kernel/key-string.js';
import { isGuessable } from './guessable-key.js';

describe('a key for a first start', () => {
  it.each([
    ['one character', 'x'.repeat(32)],
    ['seven different characters', 'abcdefgabcdeffgabcdefgabcdefgaabb'],
    ['few different characters', `${'secret!'.repeat(5)}~`],
    ['one piece repeated', 'correct-horse'.repeat(3)],
    ['one piece repeated and cut off', 'correct-horse'.repeat(5).slice(0, 38)],
    ['one half twice', '0123456789abcdef'.repeat(2)],
  ])('is guessable when it is %s', (_, key) => {
    expect(isGuessable(key)).toBe(true);
  });

  it.each([
    ['eight different characters without a pattern', 'abcdefghhgfedcbaabcdefghaaaabbbb'],
    ['all but a repetition', `${'correct-horse'.repeat(3)}!`],
    ['what is minted', mintKeyString('mk-v1-')],
    ['32 bytes in hexadecimal', '5b1f0f6e2c7d4a98b3e6d15c07f2a94480e1d39b6ac5f7720e4b8d1963fac2d7'],
  ])('is not guessable when it is %s', (_, key) => {
    expect(isGuessable(key)).toBe(false);
  });
});
