import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  managementKeyCreated,
  memberAdded,
  NEW_KEY,
  openedAccount,
  OWNER,
  PLENTY,
} from '../../../../test/support/histories/accounts.js';
import { given } from '../../../../test/support/specs/given.js';
import { metadataAt, timeAt } from '../../../../test/support/specs/metadata-at.js';
import { removeMember } from './account.decisions.js';
import type { AccountEvent } from './account.events.js';
import { account, type AccountState } from './account.js';
import {
  createManagementKey,
  type KeyBounds,
  type NewManagementKey,
  recordedKey,
  requireSameKey,
  revokeManagementKey,
} from './management-key.js';

const NOW = new Date(timeAt(100));
const BOUNDS: KeyBounds = { quotas: PLENTY, now: NOW, until: null };
const WANTED: NewManagementKey = { ...NEW_KEY, hash: 'h', user_id: OWNER, name: 'ci' };

const creating =
  (wanted: Partial<NewManagementKey> = {}, bounds: Partial<KeyBounds> = {}) =>
  (state: AccountState): AccountEvent[] =>
    createManagementKey(state, { ...WANTED, ...wanted }, { ...BOUNDS, ...bounds });

const created = (key: Partial<NewManagementKey> & { readonly displaces?: string } = {}) =>
  ({
    type: 'ManagementKeyCreated',
    data: { ...WANTED, ...key, account_id: ACCOUNT },
  }) as const satisfies AccountEvent;

const revoked = (hash: string): AccountEvent => ({ type: 'ManagementKeyRevoked', data: { hash } });

/** The hashes that the state of an account holds after events. */
function heldAfter(...events: readonly AccountEvent[]): string[] {
  const { state } = given(account, ...events);
  return state.status === 'open' ? [...state.managementKeys.keys()] : [];
}

describe('management keys', () => {
  it('are given to members, with role and expiry', () => {
    const wanted = { role: 'gateway', expires_at: timeAt(200) } as const;
    given(account, ...openedAccount())
      .when(creating(wanted))
      .then(created(wanted));
  });

  it('are given to nobody else', () => {
    const issues = [{ path: 'user_id', message: 'is not a member of the account' }];
    given(account, ...openedAccount())
      .when(creating({ user_id: 'bob' }))
      .thenRefused('member-unknown', { issues });
    given(account).when(creating()).thenRefused('not-found');
  });

  it.each([
    [null, true],
    [timeAt(300), true],
    [timeAt(200), false],
    [timeAt(1), false],
  ])('that expire at %s live too long for a maker that expires at hour 200: %s', (time, isLong) => {
    const decided = given(account, ...openedAccount()).when(
      creating({ expires_at: time }, { until: timeAt(200) }),
    );
    if (isLong) decided.thenRefused('beyond-own-key', { expires_at: timeAt(200) });
    else decided.then(created({ expires_at: time }));
  });

  it('without a role in their event are admins that never expire', () => {
    const { role: _, expires_at: __, ...data } = created().data;
    const { state } = given(account, ...openedAccount(), { ...created(), data });
    expect(state.status === 'open' && state.managementKeys.get('h')).toEqual(WANTED);
  });

  it('leave the state when they are revoked', () => {
    expect(heldAfter(...openedAccount(), created(), revoked('hash-1'))).toEqual(['h']);
  });
});

describe('the quota of management keys', () => {
  const quotas = { ...PLENTY, managementKeys: 3 };
  const expired = (hash: string, hour: number) => created({ hash, expires_at: timeAt(hour) });
  const full = [...openedAccount(), expired('second', 60), expired('first', 50)];

  it('counts no expired keys, and gives their place away, that of the first to expire first', () => {
    given(account, ...full)
      .when(creating({}, { quotas }))
      .then(created({ displaces: 'first' }));
    expect(heldAfter(...full, created({ displaces: 'first' }))).toEqual([
      ...['hash-1', 'second', 'h'],
    ]);
  });

  it('takes no place away while there is another, nor that of a key that lives still', () => {
    given(account, ...full.slice(0, -1))
      .when(creating({}, { quotas }))
      .then(created());
    given(account, ...full)
      .when(creating({}, { quotas, now: new Date(timeAt(49)) }))
      .thenRefused('quota-exceeded', { quota: 'management-keys', limit: 3 });
  });
});

describe('the last admin key without expiry', () => {
  const others = [
    ...openedAccount(),
    memberAdded('bob'),
    created({ hash: 'gateway', role: 'gateway' }),
    created({ hash: 'expiring', expires_at: timeAt(200) }),
  ];
  const withOfBob = [...others, managementKeyCreated('of-bob', 'bob')];
  const revoking = (keepsAdmin: boolean) => (state: AccountState) =>
    revokeManagementKey(state, 'hash-1', keepsAdmin);

  it('stays, unless the operator revokes it', () => {
    given(account, ...others)
      .when(revoking(true))
      .thenRefused('last-admin-key');
    given(account, ...others)
      .when(revoking(false))
      .then(revoked('hash-1'));
    given(account, ...withOfBob)
      .when(revoking(true))
      .then(revoked('hash-1'));
    given(account, ...others)
      .when((state) => revokeManagementKey(state, 'gateway', true))
      .then(revoked('gateway'));
  });

  it('keeps its user a member, unless the operator removes the user', () => {
    const onlyOfBob = [...withOfBob, revoked('hash-1')];
    given(account, ...onlyOfBob)
      .when((state) => removeMember(state, 'bob', true))
      .thenRefused('last-admin-key');
    const left: AccountEvent = {
      type: 'MemberRemoved',
      data: { account_id: ACCOUNT, user_id: 'bob' },
    };
    given(account, ...onlyOfBob)
      .when((state) => removeMember(state, 'bob', false))
      .then(revoked('of-bob'), left);
    given(account, ...withOfBob)
      .when((state) => removeMember(state, 'bob', true))
      .then(revoked('of-bob'), left);
  });
});

describe('what was recorded of a management key', () => {
  const history = [...openedAccount(), created(), revoked('hash-1')];
  const recordOf = (hash: string) => {
    const folded = recordedKey(hash);
    return history.reduce(
      (record, event, hour) => folded.evolve(record, { ...event, metadata: metadataAt(hour) }),
      folded.initial,
    );
  };

  it('is told also of a revoked one, and is nothing for a hash of another key', () => {
    expect(recordOf('h')).toEqual({
      ...WANTED,
      created_at: timeAt(4),
      created_by: null,
      revoked_at: null,
    });
    expect(recordOf('hash-1')).toMatchObject({ created_at: timeAt(3), revoked_at: timeAt(5) });
    expect(recordOf('nobody')).toBeNull();
  });

  it('answers a repeat of the same creation, unless the key was revoked', () => {
    const record = recordOf('h');
    const gone = recordOf('hash-1');
    if (!record || !gone) throw new Error('both were created');
    requireSameKey(record, WANTED);
    expect(() => requireSameKey(record, { ...WANTED, name: null, role: 'gateway' })).toThrow(
      expect.objectContaining({ code: 'key-differs', details: { fields: ['name', 'role'] } }),
    );
    expect(() => requireSameKey(gone, gone)).toThrow('hash-used');
  });
});
