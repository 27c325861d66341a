import { expect, it } from '@jest/globals';
import { charactersOf } from './text.js';

it('the characters of a record are those of its own texts, whatever they are called', () => {
  expect(charactersOf({ name: 'four', limit: 12, note: null, deep: { text: 'no' } })).toBe(4);
  expect(charactersOf(['one', '', 'three'])).toBe(8);
});
