import { describe, expect, it } from '@jest/globals';
import {
  AWAY,
  HOME,
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

const OTHER_HASH = 'b'.repeat(64);

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

  it('numbers the keys of an account in order of creation, and no number comes again', async () => {
    const created = ['c', 'd', 'e'].map((hash) => keyCreated({ hash }));
    const deleted: KeyEvent = { type: 'ApiKeyDeleted', data: { hash: 'd' } };
    const documents = await projected(
      keyDirectory,
      ...created,
      deleted,
      keyCreated({ hash: OTHER_HASH }),
    );
    expect(documents).toMatchObject({
      'keys/c': { ordinal: 0 },
      'keys/e': { ordinal: 2 },
      [`keys/${OTHER_HASH}`]: { ordinal: 3 },
    });
  });

  it.each([
    ['created', [], [1, 1], [1, 1], undefined],
    ['disabled', ['ApiKeyDisabled'], [1, 0], [1, 0], undefined],
    ['enabled again', ['ApiKeyDisabled', 'ApiKeyEnabled'], [1, 1], [1, 1], undefined],
    ['moved', ['ApiKeyMovedToWorkspace'], [1, 1], [0, 0], [1, 1]],
    ['disabled and moved', ['ApiKeyDisabled', 'ApiKeyMovedToWorkspace'], [1, 0], [0, 0], [1, 0]],
  ])('counts a key that was %s where it is', async (_, types, account, home, away) => {
    const changes = keyChanges.filter(({ type }) => types.includes(type));
    const documents = await projected(keyDirectory, keyCreated(), ...changes);
    for (const [scope, counts] of [
      ['account_id/account-1', account],
      [`workspace_id/${HOME}`, home],
      [`workspace_id/${AWAY}`, away],
    ] as const) {
      const expected = counts && { all: [counts[0]], enabled: [counts[1]] };
      expect(documents[`scopes/${scope}`]).toEqual(expected);
    }
  });

  it.each([[[]], [['ApiKeyDisabled']], [keyChanges.map(({ type }) => type)]])(
    'keeps of a deleted key that there was one, and nothing else, after %j',
    async (types) => {
      const changes = keyChanges.filter(({ type }) => types.includes(type));
      const history = [keyCreated(), ...changes, keyDeleted];
      const documents = await projected(keyDirectory, ...history);
      expect(documents['accounts/account-1']).toEqual({ created: 1 });
      expect(documents[name]).toBeUndefined();
      for (const [at, document] of Object.entries(documents)) {
        if (at !== 'accounts/account-1') expect(document).toEqual({ all: [0], enabled: [0] });
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
