import { describe, expect, it } from '@jest/globals';
import { freeSlugOf, isSlug } from './slug.js';

const UUID = 'b7c0de3a-5d0c-4c6f-8f1d-2a9e6f1c3b4d';

describe('a slug', () => {
  it.each(['a', '7', 'eu', 'eu-west-1', 'a'.repeat(50), `${UUID}-2`, UUID.slice(1)])(
    'may be %p',
    (text) => {
      expect(isSlug(text)).toBe(true);
    },
  );

  it.each([
    '',
    '-',
    '-a',
    'a-',
    'a--b',
    'A',
    'é',
    'a b',
    'a_b',
    'a/b',
    'a\n',
    'a'.repeat(51),
    UUID,
  ])('may not be %p', (text) => {
    expect(isSlug(text)).toBe(false);
  });
});

describe('a slug made of a name', () => {
  it.each([
    ['Europe', 'europe'],
    ['EU & US: West_1', 'eu-us-west-1'],
    ['  --  spaced -- out  ', 'spaced-out'],
    ['Équipe', 'equipe'],
    ['E\u0301quipe', 'equipe'],
    ['Año nuevo', 'ano-nuevo'],
    ['İstanbul', 'istanbul'],
    ['\u212Aelvin', 'kelvin'],
    ['Größe', 'gro-e'],
    ['\u0301', 'workspace'],
    ['日本', 'workspace'],
    ['💶', 'workspace'],
    [' ', 'workspace'],
    [UUID, `workspace-${UUID}`],
    [UUID.toUpperCase(), `workspace-${UUID}`],
    ['x'.repeat(100), 'x'.repeat(50)],
    [`${'x'.repeat(49)} y`, 'x'.repeat(49)],
  ])('%p is %p', (name, slug) => {
    expect(freeSlugOf(name, new Set())).toBe(slug);
    expect(isSlug(slug)).toBe(true);
  });

  it('is numbered when it is taken, and cut to make room for the number', () => {
    const long = 'x'.repeat(50);
    const taken = new Set(['eu', 'eu-2', 'eu-3', long]);
    expect(freeSlugOf('us', taken)).toBe('us');
    expect(freeSlugOf('EU', taken)).toBe('eu-4');
    expect(freeSlugOf('Eü', taken)).toBe('eu-4');
    expect(freeSlugOf(long, taken)).toBe(`${'x'.repeat(48)}-2`);
    expect(freeSlugOf(`${'x'.repeat(47)} yz`, new Set([`${'x'.repeat(47)}-yz`]))).toBe(
      `${'x'.repeat(47)}-2`,
    );
  });
});
