import { describe, expect, it } from '@jest/globals';
import {
  managementKeyCreated,
  memberAdded,
  openedAccount,
  NEW_KEY,
  OWNER,
  PLENTY,
  workspaceCreated,
  workspaceMemberAdded,
} from '../../../../test/support/histories/accounts.js';
import { given } from '../../../../test/support/specs/given.js';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import { addMember } from './account.decisions.js';
import type { AccountEvent } from './account.events.js';
import { account, type AccountState } from './account.js';
import { createManagementKey } from './management-key.js';
import type { AccountQuotas } from './quotas.js';
import { addWorkspaceMembers, createWorkspace, deleteWorkspace } from './workspace.decisions.js';

type Decide = (state: AccountState, quotas: AccountQuotas) => readonly AccountEvent[];

const createsWorkspace: Decide = (state, quotas) =>
  createWorkspace(state, 'new', { name: 'New' }, quotas);
const addsMember: Decide = (state, quotas) => addMember(state, 'new', quotas);
const createsKey: Decide = (state, quotas) =>
  createManagementKey(
    state,
    { ...NEW_KEY, hash: 'new', user_id: OWNER, name: null },
    { quotas, now: new Date(), until: null },
  );
const joinsWorkspace: Decide = (state, quotas) => addWorkspaceMembers(state, 'eu', ['bob'], quotas);

/** The history of an account. Each case says how much of a quota is used. */
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
  it('lets an account have as many', () => {
    const { state } = given(account, ...history);
    expect(decide(state, { ...PLENTY, [setting]: held + 1 })).toHaveLength(1);
  });

  it.each([held, held - 1, 1])('refuses one more when the limit is %d', (limit) => {
    given(account, ...history)
      .when((state) => decide(state, { ...PLENTY, [setting]: limit }))
      .thenRefused('quota-exceeded', { quota, limit });
  });

  it.each(CASES)('does not bind the quota of %s', (other, _, __, decideOther) => {
    const { state } = given(account, ...history);
    const limited = { ...PLENTY, [setting]: 1 };
    if (other !== quota) expect(decideOther(state, limited)).toHaveLength(1);
  });
});

describe('quotas', () => {
  const lowest: AccountQuotas = {
    workspaces: 1,
    managementKeys: 1,
    members: 1,
    workspaceMembers: 1,
  };

  it('are asked last: another refusal comes first', () => {
    const before = given(account, ...history);
    before.when((state) => addMember(state, 'bob', lowest)).thenNothing();
    const taken = { name: 'w', slug: 'eu' };
    before
      .when((state) => createWorkspace(state, 'w', taken, lowest))
      .thenRefused('workspace-slug-taken');
    before
      .when((state) => addWorkspaceMembers(state, 'eu', ['stranger'], lowest))
      .thenRefused('member-unknown');
  });

  it('do not bind a decision that adds nothing, however much there is', () => {
    given(account, ...history)
      .when((state) => addWorkspaceMembers(state, 'us', ['bob'], lowest))
      .thenNothing();
  });

  it('count all that one decision adds', () => {
    const before = given(account, ...openedAccount(), memberAdded('bob'), workspaceCreated('eu'));
    const joinBoth =
      (workspaceMembers: number) =>
      (state: AccountState): AccountEvent[] =>
        addWorkspaceMembers(state, 'eu', [OWNER, 'bob'], { ...PLENTY, workspaceMembers });
    before
      .when(joinBoth(1))
      .thenRefused('quota-exceeded', { quota: 'workspace-members', limit: 1 });
    expect(joinBoth(2)(before.state)).toHaveLength(2);
  });

  it('have room again for what ended', () => {
    const { state } = given(account, ...history);
    const after = deleteWorkspace(state, 'us').reduce<AccountState>(
      (before, event) => account.evolve(before, { ...event, metadata: metadataAt(20) }),
      state,
    );
    const quotas = { ...PLENTY, workspaces: 3, workspaceMembers: 2 };
    expect(createsWorkspace(after, quotas)).toHaveLength(1);
    expect(joinsWorkspace(after, quotas)).toHaveLength(1);
  });
});
