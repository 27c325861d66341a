import { describe, expect, it } from '@jest/globals';
import {
  managementKeyCreated,
  memberAdded,
  openedAccount,
  OWNER,
  workspaceCreated,
  workspaceMemberAdded,
} from '../../../test/histories/accounts.js';
import { given } from '../../../test/specs/given.js';
import { metadataAt } from '../../../test/specs/metadata-at.js';
import { addMember, createAccount, createManagementKey } from './account.decisions.js';
import type { AccountEvent } from './account.events.js';
import { account, type AccountState } from './account.js';
import { type AccountQuotas, withinQuotas } from './quotas.js';
import {
  addWorkspaceMember,
  addWorkspaceMembers,
  createWorkspace,
  deleteWorkspace,
  removeWorkspaceMember,
  updateWorkspace,
} from './workspace.decisions.js';

const PLENTY: AccountQuotas = {
  workspaces: 100,
  managementKeys: 100,
  members: 100,
  workspaceMembers: 100,
};

type Decide = (state: AccountState) => readonly AccountEvent[];

const createsWorkspace: Decide = (state) =>
  createWorkspace(state, { workspaceId: 'new', name: 'New', restrictions: [] });
const addsMember: Decide = (state) => addMember(state, 'new');
const createsKey: Decide = (state) =>
  createManagementKey(state, { hash: 'new', userId: OWNER, name: null });
const joinsWorkspace: Decide = (state) => addWorkspaceMember(state, 'eu', 'bob');

/** What an account has, of which the quotas count so many of each. */
const history = [
  ...openedAccount(),
  memberAdded('bob'),
  workspaceCreated('eu'),
  workspaceCreated('us'),
  workspaceMemberAdded('eu', OWNER),
  workspaceMemberAdded('us', OWNER),
  workspaceMemberAdded('us', 'bob'),
  managementKeyCreated('hash-2', 'bob'),
  { type: 'ManagementKeyRevoked', data: { hash: 'hash-2' } },
] as const satisfies readonly AccountEvent[];

const CASES: readonly (readonly [string, keyof AccountQuotas, number, Decide])[] = [
  ['workspaces', 'workspaces', 3, createsWorkspace],
  ['management-keys', 'managementKeys', 1, createsKey],
  ['members', 'members', 2, addsMember],
  ['workspace-members', 'workspaceMembers', 3, joinsWorkspace],
];

describe.each(CASES)('the quota of %s', (quota, setting, held, decide) => {
  const under =
    (limit: number): Decide =>
    (state) =>
      withinQuotas(state, decide(state), { ...PLENTY, [setting]: limit });

  it('lets an account have as many', () => {
    const { state } = given(account, ...history);
    expect(under(held + 1)(state)).toEqual(decide(state));
    expect(under(held + 1)(state)).toHaveLength(1);
  });

  it.each([held, held - 1, 1])('refuses one more when the limit is %d', (limit) => {
    given(account, ...history)
      .when(under(limit))
      .thenRefused('quota-exceeded', { quota, limit });
  });
});

describe('quotas', () => {
  const lowest: AccountQuotas = {
    workspaces: 1,
    managementKeys: 1,
    members: 1,
    workspaceMembers: 1,
  };
  const underLowest =
    (decide: Decide): Decide =>
    (state) =>
      withinQuotas(state, decide(state), lowest);

  it('are asked last: what is refused for another reason tells that', () => {
    const before = given(account, ...history);
    before
      .when(underLowest((state) => addMember(state, 'bob')))
      .thenRefused('member-already-added');
    before
      .when(
        underLowest((state) =>
          createWorkspace(state, { workspaceId: 'w', name: 'w', slug: 'eu', restrictions: [] }),
        ),
      )
      .thenRefused('workspace-slug-taken');
    before
      .when(underLowest((state) => addWorkspaceMembers(state, 'eu', ['stranger'])))
      .thenRefused('member-unknown');
  });

  it('do not bind what adds nothing, however much there is', () => {
    const { state } = given(account, ...history);
    const rename = underLowest((before) => updateWorkspace(before, 'eu', { name: 'Europe' }));
    const leave = underLowest((before) => removeWorkspaceMember(before, 'us', 'bob'));
    const stay = underLowest((before) => addWorkspaceMembers(before, 'us', ['bob']));
    const end = underLowest((before) => deleteWorkspace(before, 'eu', 'd'));
    expect([rename, leave, stay, end].map((decide) => decide(state).length)).toEqual([1, 1, 0, 1]);
  });

  it('count all that one decision adds', () => {
    const joinBoth: Decide = (state) => addWorkspaceMembers(state, 'eu', [OWNER, 'bob']);
    const before = [...openedAccount(), memberAdded('bob'), workspaceCreated('eu')];
    const under =
      (workspaceMembers: number): Decide =>
      (state) =>
        withinQuotas(state, joinBoth(state), { ...PLENTY, workspaceMembers });
    given(account, ...before)
      .when(under(1))
      .thenRefused('quota-exceeded', { quota: 'workspace-members', limit: 1 });
    expect(under(2)(given(account, ...before).state)).toHaveLength(2);
  });

  it('have room again for what ended', () => {
    const { state } = given(account, ...history);
    const after = deleteWorkspace(state, 'us', 'd').reduce<AccountState>(
      (before, event) => account.evolve(before, { ...event, metadata: metadataAt(20) }),
      state,
    );
    const quotas = { ...PLENTY, workspaces: 3, workspaceMembers: 2 };
    expect(withinQuotas(after, createsWorkspace(after), quotas)).toHaveLength(1);
    expect(withinQuotas(after, joinsWorkspace(after), quotas)).toHaveLength(1);
  });

  it('do not stand in the way of a new account', () => {
    const wanted = {
      accountId: 'a',
      kind: 'organization' as const,
      name: 'Acme',
      ownerUserId: OWNER,
      defaultWorkspaceId: 'w',
      managementKeyHash: 'h',
    };
    const opening = underLowest((state) => createAccount(state, wanted));
    expect(opening(account.initial)).toHaveLength(4);
  });
});
