import { expect, it } from '@jest/globals';
import { bytesOf, bytesOfTexts, isBlank } from './text.js';

it('a text takes a byte for each character, or two for each when one of them is wide', () => {
  const empty = bytesOf('');
  expect(bytesOf('caf\u00e9')).toBe(empty + 4);
  expect(bytesOf('caf\u00e9 \u20ac')).toBe(empty + 12);
});

it('the bytes of a record are the bytes of its own texts, under any name', () => {
  const record = { name: 'four', limit: 12, note: null, deep: { text: 'no' } };
  expect(bytesOfTexts(record)).toBe(bytesOf('four'));
  expect(bytesOfTexts(['one', '', 'three'])).toBe(bytesOf('one') + bytesOf('') + bytesOf('three'));
});

it('a text is blank when all of it is white space', () => {
  for (const blank of ['', ' ', '\t\n', '\u0085', '\u00a0\u3000', '\ufeff '])
    expect(isBlank(blank)).toBe(true);
  for (const text of ['a', ' a ', '\u200b', '\0']) expect(isBlank(text)).toBe(false);
});
