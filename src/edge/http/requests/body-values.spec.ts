import { describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../../kernel/key-string.js';
import { Refusal } from '../../../kernel/errors.js';
import { checkValues } from './body-values.js';

const OWN = 'a-management-key-of-an-operators-own-form';

function refused(body: object, unstored?: string): unknown {
  try {
    checkValues(body, OWN, unstored);
    return null;
  } catch (error) {
    return error instanceof Refusal ? error.details : error;
  }
}

function at(path: string): object {
  return { issues: [{ path, message: 'must not contain a key string' }] };
}

describe('keys in a body', () => {
  it('are those of this service, of either kind, in a name or a value at any depth', () => {
    for (const key of [mintKeyString('sk-v1-'), mintKeyString('mk-v1-')]) {
      expect(refused({ a: { b: [{ c: key }] } })).toEqual(at('a.b.0.c'));
      expect(refused({ a: { b: [0, key] } })).toEqual(at('a.b'));
      expect(refused({ a: { [`x${key}x`]: null } })).toEqual(at('a'));
    }
  });

  it('are also the key of the request itself, in any form', () => {
    expect(refused({ name: OWN })).toEqual(at('name'));
    expect(refused({ name: 'x', other: `see ${OWN}` })).toEqual(at('other'));
    expect(refused({ [OWN]: 1 })).toEqual(at(''));
  });

  it('are no others', () => {
    const body = { name: `sk-v1-${'0'.repeat(64)}`, hash: 'f'.repeat(64), nothing: null, n: 1 };
    expect(refused(body)).toBeNull();
  });

  it('may be in the field that is not stored, and nowhere below it', () => {
    expect(refused({ key: OWN }, 'key')).toBeNull();
    expect(refused({ other: { key: OWN } }, 'key')).toEqual(at('other.key'));
    expect(refused({ key: { key: OWN } }, 'key')).toEqual(at('key.key'));
  });
});

describe('the values of a body', () => {
  const BEYOND = { max_depth: 32, max_values: 10_000 };

  it('are refused when a body of 100 KiB has nothing but brackets or zeros', () => {
    const half = (100 * 1024) / 2;
    const nested: unknown = JSON.parse('['.repeat(half) + ']'.repeat(half));
    expect(refused({ nested })).toEqual(BEYOND);
    const zeros: unknown = JSON.parse(`[${'0,'.repeat(half - 1)}0]`);
    expect(refused({ zeros })).toEqual(BEYOND);
  });
});
