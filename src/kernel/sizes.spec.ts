import { expect, it } from '@jest/globals';
import { bytesOf, bytesOfTexts } from './sizes.js';

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
