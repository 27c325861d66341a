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
import {
  createKey,
  type KeyContent,
  keyContent,
  requireOwnHash,
  requireSameContent,
} from './key-creation.js';
import { key } from './key.js';

const external = { user: 'customer', lookup_key_hash: 'digest' };
const content: KeyContent = keyCreated({ limit: 10, external }).data;

describe('creating a key', () => {
  it('stores every field of the request', () => {
    given(key)
      .when(() => createKey(content, HOME))
      .then(keyCreated({ limit: 10, external }));
  });

  it('is refused in a workspace that the account does not have', () => {
    given(key)
      .when(() => createKey(content, undefined))
      .thenRefused('workspace-unknown');
  });
});

describe('a hash that is known', () => {
  const require = (accountId: string, ...history: Parameters<typeof given>[1][]) =>
    given(key, ...(history as never[])).when((state) => {
      requireOwnHash(state, accountId, new Date(0));
      return [];
    });

  it('may be that of a key of the account, whatever changed since', () => {
    require('account-1', keyCreated(), ...keyChanges).thenNothing();
  });

  it('is refused alike when it is a deleted key, another account’s or a management key’s', () => {
    require('account-1', keyCreated(), keyDeleted).thenRefused('hash-used', null);
    require('account-2', keyCreated()).thenRefused('hash-used', null);
    const data = { hash: KEY_HASH, account_id: 'account-1' };
    require('account-1', { type: 'ManagementKeyReserved', data }).thenRefused('hash-used', null);
  });
});

describe('the content of a creation', () => {
  it('is what was recorded, not what later changes made of it', () => {
    const { state } = given(keyContent, keyCreated(content), ...keyChanges, keyDeleted);
    expect(state).toEqual(content);
  });

  it.each([
    ['name', { name: 'another' }],
    ['creator_user_id', { creator_user_id: 'bob' }],
    ['expires_at', { expires_at: '2027-01-01T00:00:00.000Z' }],
    ['external', { external: null }],
    ['external', { external: { user: 'another', lookup_key_hash: 'digest' } }],
    ['external', { external: { user: 'customer', lookup_key_hash: null } }],
    ['include_byok_in_limit', { include_byok_in_limit: true }],
    ['limit', { limit: null }],
    ['limit_reset', { limit_reset: 'daily' as const }],
    ['workspace_id', { workspace_id: AWAY }],
  ])('is other content with another %s', (field, change) => {
    given(key)
      .when(() => {
        requireSameContent(content, { ...content, ...change });
        return [];
      })
      .thenRefused('key-differs', { fields: [field] });
  });

  it('is the same content whatever object it is in', () => {
    expect(() => {
      requireSameContent(content, structuredClone(content));
    }).not.toThrow();
  });
});
