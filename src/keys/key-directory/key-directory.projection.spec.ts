import { describe, expect, it } from '@jest/globals';
import { KEY_HASH, keyChanges, keyCreated } from '../../../test/histories/keys.js';
import { given } from '../../../test/specs/given.js';
import { projected } from '../../../test/specs/projected.js';
import { key } from '../domain/key.js';
import { keyDirectory } from './key-directory.projection.js';

const name = `keys/${KEY_HASH}`;

describe('the key directory', () => {
  it.each([...keyChanges, undefined])(
    'has a key as its own fold has it after $type',
    async (change) => {
      const history = [keyCreated({ limit: 3 }), ...(change ? [change] : [])];
      const documents = await projected(keyDirectory, ...history);
      expect(documents[name]).toEqual(given(key, ...history).state);
    },
  );

  it('has a key as its own fold has it after everything', async () => {
    const history = [keyCreated(), ...keyChanges];
    const documents = await projected(keyDirectory, ...history);
    expect(documents).toEqual({ [name]: given(key, ...history).state });
  });

  it('keeps nothing of the lookup key of a partner', async () => {
    const external = { user: 'customer', lookup_key_hash: 'digest' };
    const documents = await projected(keyDirectory, keyCreated({ external }));
    expect(documents[name]).toMatchObject({ external_user: 'customer' });
    expect(JSON.stringify(documents)).not.toContain('digest');
  });
});
