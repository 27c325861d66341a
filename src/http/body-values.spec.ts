import { describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../key-strings/key-string.js';
import { Refusal } from '../kernel/errors.js';
import { refuseKeysIn } from './keys-in-body.js';

const OWN = 'a-management-key-of-an-operators-own-form';

function refused(body: object): unknown {
  try {
    refuseKeysIn(body, OWN);
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
});
