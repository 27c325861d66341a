import { describe, expect, it } from '@jest/globals';
import {
  KEY_HASH,
  keyChanges,
  keyCreated,
  keyDeleted,
} from '../../../../test/support/histories/keys.js';
import { given } from '../../../../test/support/specs/given.js';
import { projected } from '../../../../test/support/specs/projected.js';
import type { KeyEvent } from '../domain/key.events.js';
import { key, type Key, ownKey } from '../domain/key.js';
import { keyDirectory } from './key-directory.projection.js';

const name = `keys/${KEY_HASH}`;

describe('the key directory', () => {
  it.each([...keyChanges, undefined])(
    'has a key as its own fold has it after $type',
    async (change) => {
      const history = [keyCreated({ limit: 3 }), ...(change ? [change] : [])];
      const documents = await projected(keyDirectory, ...history);
      expect(documents[name]).toEqual({ ...keyOf(history), ordinal: 0 });
    },
  );

  it('has a key as its own fold has it after everything', async () => {
    const history = [keyCreated(), ...keyChanges];
    const documents = await projected(keyDirectory, ...history);
    expect(documents[name]).toEqual({ ...keyOf(history), ordinal: 0 });
  });

  it.each([[[]], [['ApiKeyDisabled']], [keyChanges.map(({ type }) => type)]])(
    'keeps of a deleted key that there was one, and nothing else, after %j',
    async (types) => {
      const changes = keyChanges.filter(({ type }) => types.includes(type));
      const history = [keyCreated(), ...changes, keyDeleted];
      const documents = await projected(keyDirectory, ...history);
      expect(documents['key_creations/account-1']).toEqual({ created: 1 });
      expect(documents[name]).toBeUndefined();
      for (const [at, document] of Object.entries(documents)) {
        if (at !== 'key_creations/account-1') expect(document).toEqual({ all: [0], enabled: [0] });
      }
      expect(JSON.stringify(documents)).not.toContain(KEY_HASH);
    },
  );

  it('passes over facts about a key that it does not have', async () => {
    expect(await projected(keyDirectory, ...keyChanges, keyDeleted)).toEqual({});
  });

  it('keeps nothing of the lookup key of a partner', async () => {
    const external = { user: 'customer', lookup_key_hash: 'digest' };
    const documents = await projected(keyDirectory, keyCreated({ external }));
    expect(documents[name]).toMatchObject({ external_user: 'customer' });
    expect(JSON.stringify(documents)).not.toContain('digest');
  });
});

/** Gives a key as the aggregate's own fold gives it. */
function keyOf(history: readonly KeyEvent[]): Key {
  return ownKey(given(key, ...history).state, 'account-1');
}
