import { expect, it } from '@jest/globals';
import { isBlank } from './text.js';

it('a text is blank when all of it is white space', () => {
  for (const blank of ['', ' ', '\t\n', '\u0085', '\u00a0\u3000', '\ufeff '])
    expect(isBlank(blank)).toBe(true);
  for (const text of ['a', ' a ', '\u200b', '\0']) expect(isBlank(text)).toBe(false);
});
