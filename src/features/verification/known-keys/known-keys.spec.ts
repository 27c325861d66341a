import { beforeEach, describe, expect, it } from '@jest/globals';
import { accountStream } from '../../accounts/domain/account.js';
import type { RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import { knownKeys } from '../../../../test/support/specs/known-keys.js';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import type { Budget } from '../../budgets/domain/budget.js';
import { evolveKey, type Key, keyStream } from '../../keys/domain/key.js';
import { keyCreated } from '../../../../test/support/histories/keys.js';
import type { KeyBudgets } from './known-budgets.js';
import { type KnownApiKey, type KnownKey, type KnownKeys } from './known-keys.js';

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
    epoch: 0,
  };
}

function happened(stream: string, type: string, data: object = {}): RecordedEvent {
  const place = { position: '1', revision: 0, stream };
  return { id: type, type, version: 1, data, metadata: metadataAt(0), ...place };
}

describe('the keys in memory', () => {
  let known: KnownKeys;

  beforeEach(() => {
    known = knownKeys();
    for (const [account, hash] of [
      ['one', 'a'],
      ['one', 'b'],
      ['other', 'c'],
    ] as const)
      known.end(known.begin(hash), keyOf(account, hash));
  });

  const inMemory = (): string[] => ['a', 'b', 'c'].filter((hash) => known.get(hash) !== undefined);

  it('are seen without a use, as those that are not outdated', () => {
    const small = knownKeys(2.5 * ENTRY_BYTES);
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
    const few = knownKeys(10 * ENTRY_BYTES);
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

describe('the budgets of keys in memory', () => {
  const [NONE, SOME]: readonly KeyBudgets[] = [
    { workspace: null, endUser: null },
    { workspace: budgetOf(1), endUser: budgetOf(2) },
  ];
  let known: KnownKeys;

  beforeEach(() => {
    known = knownKeys();
  });

  function budgetOf(limit: number): Budget {
    return { limit, limit_reset: null, include_byok_in_limit: false };
  }

  function apiKey(hash: string, account_id: string, workspace_id: string): KnownApiKey {
    const created = { ...keyCreated({ hash }), metadata: metadataAt(0) };
    const key = { ...(evolveKey(null, created) as Key), account_id, workspace_id };
    const caller = { accountKind: 'organization', defaultWorkspaceId: 'home' } as const;
    return { kind: 'api', key, ...caller, cursorSecret: 'secret', budgets: null, epoch: 0 };
  }

  function keep(key: KnownApiKey, budgets: KeyBudgets | undefined): void {
    known.end(known.begin(key.key.hash), { ...key, budgets: budgets ?? null });
  }

  /** Gives the budgets of the key in memory. */
  function budgetsOf(hash: string): KeyBudgets | undefined {
    const found = known.get(hash);
    return found?.kind === 'api' ? known.budgetsOf(found) : undefined;
  }

  const set = (workspace_id: string, budget: Budget | null) =>
    budget
      ? happened(accountStream('one'), 'WorkspaceBudgetSet', { workspace_id, budget })
      : happened(accountStream('one'), 'WorkspaceBudgetRemoved', { workspace_id });

  const setCommon = (budget: Budget | null) =>
    budget
      ? happened(accountStream('one'), 'AccountEndUserBudgetSet', { account_id: 'one', budget })
      : happened(accountStream('one'), 'AccountEndUserBudgetRemoved', { account_id: 'one' });

  it('are those that were read with the key, of its workspace and its account alone', () => {
    keep(apiKey('a', 'one', 'home'), SOME);
    keep(apiKey('b', 'one', 'lab'), { workspace: null, endUser: budgetOf(2) });
    keep(apiKey('c', 'other', 'elsewhere'), NONE);
    expect(budgetsOf('a')).toEqual(SOME);
    expect(budgetsOf('b')).toEqual({ workspace: null, endUser: budgetOf(2) });
    expect(budgetsOf('c')).toEqual(NONE);
  });

  it('change with each event, and the keys stay in memory', () => {
    for (const [hash, workspace] of [
      ['a', 'home'],
      ['b', 'lab'],
    ] as const)
      keep(apiKey(hash, 'one', workspace), NONE);
    keep(apiKey('c', 'other', 'elsewhere'), NONE);
    known.apply(set('home', budgetOf(3)));
    expect(budgetsOf('a')).toEqual({ workspace: budgetOf(3), endUser: null });
    expect(budgetsOf('b')).toEqual(NONE);
    known.apply(setCommon(budgetOf(4)));
    known.apply(set('home', budgetOf(5)));
    expect(budgetsOf('a')).toEqual({ workspace: budgetOf(5), endUser: budgetOf(4) });
    expect(budgetsOf('b')).toEqual({ workspace: null, endUser: budgetOf(4) });
    known.apply(set('home', null));
    expect(budgetsOf('a')).toEqual({ workspace: null, endUser: budgetOf(4) });
    known.apply(setCommon(null));
    for (const hash of ['a', 'b', 'c']) expect(budgetsOf(hash)).toEqual(NONE);
  });

  it('are replaced by those of a later read', () => {
    keep(apiKey('a', 'one', 'home'), SOME);
    known.forgetAll();
    keep(apiKey('b', 'one', 'home'), { workspace: budgetOf(3), endUser: null });
    keep(apiKey('a', 'one', 'home'), NONE);
    expect(budgetsOf('b')).toEqual(NONE);
  });

  it.each([
    ['WorkspaceBudgetSet', set('home', budgetOf(3))],
    ['AccountEndUserBudgetSet', setCommon(budgetOf(3))],
  ])('are not kept with a key that was read before %s, but hold for its question', (_, event) => {
    const lookUp = known.begin('a');
    known.apply(event);
    const read = { ...apiKey('a', 'one', 'home'), budgets: SOME ?? null };
    known.end(lookUp, read);
    expect(known.get('a')).toBeUndefined();
    expect(known.budgetsOf(read)).toBe(SOME);
  });

  it('end with a deleted workspace', () => {
    keep(apiKey('a', 'one', 'home'), { workspace: budgetOf(1), endUser: null });
    known.apply(happened(accountStream('one'), 'WorkspaceDeleted', { workspace_id: 'home' }));
    expect(budgetsOf('a')).toBeUndefined();
    expect(known.budgetsOf(apiKey('a', 'one', 'home'))).toEqual(NONE);
  });

  it('stay when memory forgets keys because too many accounts changed', () => {
    keep(apiKey('a', 'one', 'home'), SOME);
    const found = known.get('a') as KnownApiKey;
    for (let count = 0; count <= 10_000; count += 1)
      known.apply(happened(accountStream(`account ${count}`), 'UnheardOf'));
    expect(known.get('a')).toBeUndefined();
    // A question that found the key before is still under way.
    expect(known.budgetsOf(found)).toEqual(SOME);
  });
});
