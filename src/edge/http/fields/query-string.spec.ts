import { describe, expect, it } from '@jest/globals';
import { parseQueryString, UNDECODABLE } from './query-string.js';

describe('a query string', () => {
  it.each([
    [null, {}],
    ['', {}],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['&&a=1&', { a: '1' }],
    ['a=x+y%2Bz', { a: 'x y+z' }],
    ['%61=%F0%9F%98%80', { a: '😀' }],
    ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['a[]=1&a.b=2', { 'a[]': '1', 'a.b': '2' }],
  ])('%j is read as it stands', (text, parameters) => {
    expect({ ...parseQueryString(text) }).toEqual(parameters);
  });

  it('of a parameter repeated 20,000 times is read in proportion to its length', () => {
    const started = performance.now();
    const { a } = parseQueryString('a&'.repeat(20_000));
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(a).toHaveLength(20_000);
  });

  it('may name a parameter like anything, and reaches no prototype', () => {
    const parameters = parseQueryString('__proto__=x&constructor=y');
    expect(Object.keys(parameters)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(parameters)).toBeNull();
  });

  it.each(['%', '%zz', '%ff', '%ed%a0%80'])('marks the value %s as undecodable', (text) => {
    const read = { ...parseQueryString(`user=${text}&user=ada&limit=${text}`) };
    expect(read).toEqual({ user: [UNDECODABLE, 'ada'], limit: UNDECODABLE });
  });

  it('marks a name that does not decode', () => {
    expect(Object.keys(parseQueryString('%zz=1&%ff&a=1'))).toEqual([UNDECODABLE, 'a']);
  });
});
