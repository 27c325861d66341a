import { describe, expect, it } from '@jest/globals';
import { padded, shortened, widthOf, wrapped } from './layout.js';

describe('the layout of output for people', () => {
  it('measures the columns of a terminal, not characters', () => {
    expect([widthOf('key'), widthOf('鍵'), widthOf('e\u0301'), widthOf('🔑')]).toEqual([
      3, 2, 1, 2,
    ]);
    expect(padded('鍵', 4)).toBe('鍵  ');
  });

  it('shortens a text to a width, and says that it did', () => {
    expect(shortened('analytics', 9)).toBe('analytics');
    expect(shortened('analytics', 8)).toBe('analyti…');
    expect(shortened('鍵鍵鍵', 4)).toBe('鍵…');
  });

  it('moves a part to the next line as a whole, and breaks one that is longer than a line', () => {
    expect(wrapped(['one', 'two', 'three'], 9)).toEqual(['one, two,', 'three']);
    expect(wrapped(['x'.repeat(12), 'y'], 9)).toEqual(['x'.repeat(9), 'xxx, y']);
    expect(wrapped([], 9)).toEqual([]);
  });
});
