import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  DEFAULT_WORKSPACE,
  memberAdded,
  openedAccount,
  OWNER,
  PLENTY,
  workspaceCreated,
  workspaceMemberAdded,
} from '../../../../test/support/histories/accounts.js';
import { given } from '../../../../test/support/specs/given.js';
import type { AccountEvent } from './account.events.js';
import { account, requireAccount } from './account.js';
import { lastRestrictions } from './restrictions-of-a-deleted-workspace.js';
import { createWorkspace, deleteWorkspace } from './workspace.decisions.js';

const deleted: AccountEvent = {
  type: 'WorkspaceDeleted',
  data: { account_id: ACCOUNT, workspace_id: 'eu' },
};
const history = [...openedAccount(), memberAdded('bob'), workspaceCreated('eu')];

describe('deleting a workspace', () => {
  it('is one event, however many members it has', () => {
    const joined = [workspaceMemberAdded('eu', OWNER), workspaceMemberAdded('eu', 'bob')];
    given(account, ...history, ...joined)
      .when((state) => deleteWorkspace(state, 'eu'))
      .then(deleted);
    const after = requireAccount(given(account, ...history, ...joined, deleted).state);
    expect(after.workspaces.has('eu')).toBe(false);
    expect(after.members.has('bob')).toBe(true);
  });

  it('is refused for the default workspace, by id and by slug', () => {
    for (const workspace of [DEFAULT_WORKSPACE, 'default']) {
      given(account, ...history)
        .when((state) => deleteWorkspace(state, workspace))
        .thenRefused('default-workspace-not-deletable');
    }
  });

  it('happens once', () => {
    given(account, ...history, deleted)
      .when((state) => deleteWorkspace(state, 'eu'))
      .thenRefused('not-found');
  });

  it('frees its slug', () => {
    const create = { name: 'New', slug: 'eu' };
    const { state } = given(account, ...history, deleted);
    expect(createWorkspace(state, 'new', create, PLENTY)).toMatchObject([{ data: { slug: 'eu' } }]);
  });
});

describe('the last restrictions of a deleted workspace', () => {
  it('are those that its stream named last', () => {
    const { state } = given(
      lastRestrictions('eu'),
      ...openedAccount(),
      workspaceCreated('eu', ['eu-only']),
      {
        type: 'WorkspaceRestricted',
        data: { workspace_id: 'eu', restrictions: ['eu-only', 'zdr'], previous_restrictions: [] },
      },
      workspaceCreated('us', ['us-only']),
      deleted,
    );
    expect(state).toEqual(['eu-only', 'zdr']);
  });
});
