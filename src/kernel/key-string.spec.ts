import { describe, expect, it } from '@jest/globals';
import {
  formOf,
  hashKeyString,
  isKeyHash,
  isTailOfKeyString,
  mintKeyString,
} from './key-string.js';

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
      expect(formOf(mintKeyString('mk-v1-'))).toBe('management-key');
      expect(formOf(mintKeyString('sk-v1-'))).toBe('api-key');
    }
  });

  it('is known by its SHA-256', () => {
    expect(hashKeyString('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('ends in the CRC-32 of what stands before', () => {
    expect(formOf(`${KNOWN}565b2943`)).toBe('api-key');
  });

  it('with any one character changed is broken', () => {
    const whole = mintKeyString('sk-v1-');
    for (let place = 6; place < whole.length; place++) {
      const other = whole[place] === '0' ? '1' : '0';
      expect(formOf(whole.slice(0, place) + other + whole.slice(place + 1))).toBe('broken');
    }
  });

  it.each(['sk-v1-', 'mk-v1-abc', `sk-v1-${'0'.repeat(65)}`, `sk-v1-${'g'.repeat(64)}`])(
    'like %s is broken',
    (candidate) => {
      expect(formOf(candidate)).toBe('broken');
    },
  );

  it.each(['an-operator-chose-this-management-key', 'x', '~'.repeat(512), 'SK-V1-abc'])(
    'of another form is foreign: %s',
    (candidate) => {
      expect(formOf(candidate)).toBe('foreign');
    },
  );

  it.each(['', 'with a space', 'schlüssel', 'a\n', 'x'.repeat(513)])(
    'is printable and no longer than 512 characters, unlike %j',
    (candidate) => {
      expect(formOf(candidate)).toBe('broken');
    },
  );

  it('is told from its digits alone', () => {
    for (const prefix of ['sk-v1-', 'mk-v1-'] as const) {
      expect(isTailOfKeyString(mintKeyString(prefix).slice(prefix.length))).toBe(true);
    }
    expect(isTailOfKeyString(hashKeyString('abc'))).toBe(false);
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
