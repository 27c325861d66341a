import { expect, it } from '@jest/globals';
import { charactersOf, isBlank } from './text.js';

it('the characters of a record are those of its own texts, whatever they are called', () => {
  expect(charactersOf({ name: 'four', limit: 12, note: null, deep: { text: 'no' } })).toBe(4);
  expect(charactersOf(['one', '', 'three'])).toBe(8);
});

it('a text is blank when all of it is white space', () => {
  for (const blank of ['', ' ', '\t\n', '\u0085', '\u00a0\u3000', '\ufeff '])
    expect(isBlank(blank)).toBe(true);
  for (const text of ['a', ' a ', '\u200b', '\0']) expect(isBlank(text)).toBe(false);
});
