import { beforeEach, describe, expect, it } from '@jest/globals';
import { accountStream } from '../../accounts/domain/account.js';
import type { RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import { keyStream } from '../../keys/domain/key.js';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import { type KnownKey, KnownKeys } from './known-keys.js';

const ENTRY_BYTES = 560;

function keyOf(accountId: string, hash: string): KnownKey {
  return {
    kind: 'management',
    caller: {
      keyKind: 'management',
      keyHash: hash,
      stringHash: null,
      keyName: null,
      accountId,
      accountKind: 'organization',
      accountName: 'Acme',
      defaultWorkspaceId: 'home',
      cursorSecret: 'secret',
      userId: 'ada',
      role: 'admin',
      expiresAt: null,
    },
  };
}

function happened(stream: string, type: string, data: object = {}): RecordedEvent {
  const place = { position: '1', revision: 0, stream };
  return { id: type, type, version: 1, data, metadata: metadataAt(0), ...place };
}

describe('the keys in memory', () => {
  let known: KnownKeys;

  beforeEach(() => {
    known = new KnownKeys();
    for (const [account, hash] of [
      ['one', 'a'],
      ['one', 'b'],
      ['other', 'c'],
    ] as const)
      known.end(known.begin(hash), keyOf(account, hash));
  });

  const inMemory = (): string[] => ['a', 'b', 'c'].filter((hash) => known.get(hash) !== undefined);

  it('are seen without a use, as those that are not outdated', () => {
    const small = new KnownKeys(2.5 * ENTRY_BYTES);
    for (const hash of ['a', 'b']) small.end(small.begin(hash), keyOf('one', hash));
    expect(small.peek('a')).toMatchObject({ caller: { keyHash: 'a' } });
    small.end(small.begin('c'), keyOf('other', 'c'));
    expect(['a', 'b', 'c'].map((hash) => small.peek(hash) !== undefined)).toEqual([
      false,
      true,
      true,
    ]);
    small.apply(happened(accountStream('one'), 'UnheardOf'));
    expect(small.peek('b')).toBeUndefined();
    expect(small.peek('c')).toBeDefined();
  });

  it('stay until an event concerns them', () => {
    known.apply(happened('user-1', 'EndUserRegistered'));
    for (const type of [
      'WorkspaceRenamed',
      'ManagementKeyCreated',
      'MemberRemoved',
      'WorkspaceBudgetSet',
      'WorkspaceBudgetRemoved',
      'AccountEndUserBudgetSet',
      'AccountEndUserBudgetRemoved',
    ]) {
      known.apply(happened(accountStream('one'), type));
    }
    expect(inMemory()).toEqual(['a', 'b', 'c']);
  });

  it.each(['ApiKeyDisabled', 'UnheardOf'])(
    'are dropped one by one at %s in their stream',
    (type) => {
      known.apply(happened(keyStream('b'), type));
      expect(inMemory()).toEqual(['a', 'c']);
    },
  );

  it('are dropped one by one when they are revoked', () => {
    known.apply(happened(accountStream('one'), 'ManagementKeyRevoked', { hash: 'a' }));
    expect(inMemory()).toEqual(['b', 'c']);
  });

  it.each(['WorkspaceDeleted', 'UnheardOf'])(
    'are dropped with all of their account at %s',
    (type) => {
      known.apply(happened(accountStream('one'), type));
      expect(inMemory()).toEqual(['c']);
      known.end(known.begin('a'), keyOf('one', 'a'));
      expect(inMemory()).toEqual(['a', 'c']);
    },
  );

  it('are not kept when an event came while they were read', () => {
    known.forgetAll();
    const [ofKey, ofAccount, ofOther] = ['a', 'b', 'c'].map((hash) => known.begin(hash));
    known.apply(happened(keyStream('a'), 'ApiKeyDisabled'));
    if (ofKey) known.end(ofKey, keyOf('one', 'a'));
    if (ofOther) known.end(ofOther, keyOf('other', 'c'));
    known.apply(happened(accountStream('one'), 'WorkspaceDeleted'));
    if (ofAccount) known.end(ofAccount, keyOf('one', 'b'));
    expect(inMemory()).toEqual(['c']);
    expect(ofKey?.isOutdated).toBe(true);
  });

  it('are kept when only the account of another key changed while they were read', () => {
    known.forgetAll();
    const [ofAccount, ofOther] = ['a', 'c'].map((hash) => known.begin(hash));
    for (const type of ['WorkspaceDeleted', 'MemberRemoved'])
      known.apply(happened(accountStream('one'), type));
    if (ofAccount) known.end(ofAccount, keyOf('one', 'a'));
    if (ofOther) known.end(ofOther, keyOf('other', 'c'));
    expect(inMemory()).toEqual(['c']);
    expect([ofAccount?.isOutdated, ofOther?.isOutdated]).toEqual([true, false]);
  });

  it('stay within their bound of bytes, those longest unused going first', () => {
    const few = new KnownKeys(10 * ENTRY_BYTES);
    for (let count = 0; count < 100; count += 1) {
      const hash = `${count}`;
      few.end(few.begin(hash), keyOf('one', hash));
      few.get('0');
    }
    expect(few.count).toBeGreaterThan(3);
    expect(few.count).toBeLessThan(10);
    expect(few.get('0')).toBeDefined();
    expect(few.get('1')).toBeUndefined();
  });
});
