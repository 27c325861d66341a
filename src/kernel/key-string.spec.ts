import { describe, expect, it } from '@jest/globals';
import { hashKeyString, isBrokenKeyString, isKeyHash, mintKeyString } from './key-string.js';

/** The checksum in the test is the CRC-32 of these 62 characters, computed by another program. */
const KNOWN = `sk-v1-${'0'.repeat(56)}`;

describe('a key string', () => {
  it.each(['sk-v1-', 'mk-v1-'] as const)(
    'of kind %s is 64 hex digits behind its prefix',
    (prefix) => {
      expect(mintKeyString(prefix)).toMatch(new RegExp(`^${prefix}[0-9a-f]{64}$`));
    },
  );

  it('is never minted twice', () => {
    const minted = new Set(Array.from({ length: 1_000 }, () => mintKeyString('sk-v1-')));
    expect(minted.size).toBe(1_000);
  });

  it('is whole as minted', () => {
    for (let count = 0; count < 1_000; count++) {
      expect(isBrokenKeyString(mintKeyString('mk-v1-'))).toBe(false);
    }
  });

  it('is known by its SHA-256', () => {
    expect(hashKeyString('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('ends in the CRC-32 of what stands before', () => {
    expect(isBrokenKeyString(`${KNOWN}565b2943`)).toBe(false);
  });

  it('with any one character changed is broken', () => {
    const whole = mintKeyString('sk-v1-');
    for (let place = 6; place < whole.length; place++) {
      const other = whole[place] === '0' ? '1' : '0';
      expect(isBrokenKeyString(whole.slice(0, place) + other + whole.slice(place + 1))).toBe(true);
    }
  });

  it.each(['sk-v1-', 'mk-v1-abc', `sk-v1-${'0'.repeat(65)}`, `sk-v1-${'g'.repeat(64)}`])(
    'like %s is broken',
    (candidate) => {
      expect(isBrokenKeyString(candidate)).toBe(true);
    },
  );

  it('of another form may be a key', () => {
    expect(isBrokenKeyString('an-operator-chose-this-management-key')).toBe(false);
  });
});

describe('the hash of a key', () => {
  it.each([
    ['a'.repeat(64), true],
    ['A'.repeat(64), false],
    ['a'.repeat(63), false],
    [`${'a'.repeat(64)}\n`, false],
    ['$$settings', false],
  ])('%j: %s', (candidate, is) => {
    expect(isKeyHash(candidate)).toBe(is);
  });
});
