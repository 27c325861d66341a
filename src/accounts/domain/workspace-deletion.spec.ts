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
} from '../../../test/histories/accounts.js';
import { given } from '../../../test/specs/given.js';
import type { AccountEvent } from './account.events.js';
import { account, existing } from './account.js';
import { createWorkspace, deleteWorkspace } from './workspace.decisions.js';

const started: AccountEvent = {
  type: 'WorkspaceDeletionStarted',
  data: { workspace_id: 'eu', deletion_id: 'first' },
};
const cancelled: AccountEvent = {
  type: 'WorkspaceDeletionCancelled',
  data: { workspace_id: 'eu', deletion_id: 'first' },
};
const deleted: AccountEvent = {
  type: 'WorkspaceDeleted',
  data: { account_id: ACCOUNT, workspace_id: 'eu', deletion_id: 'first' },
};
const history = [...openedAccount(), memberAdded('bob'), workspaceCreated('eu')];

describe('deleting a workspace', () => {
  it('is one event, however many members it has', () => {
    const joined = [workspaceMemberAdded('eu', OWNER), workspaceMemberAdded('eu', 'bob')];
    given(account, ...history, ...joined)
      .when((state) => deleteWorkspace(state, 'eu', 'first'))
      .then(deleted);
    const after = existing(given(account, ...history, ...joined, deleted).state);
    expect(after.workspaces.has('eu')).toBe(false);
    expect(after.members.has('bob')).toBe(true);
    expect(after.size).toBe(
      existing(given(account, ...openedAccount(), memberAdded('bob')).state).size,
    );
  });

  it('is refused for the default workspace, by id and by slug', () => {
    for (const workspace of [DEFAULT_WORKSPACE, 'default']) {
      given(account, ...history)
        .when((state) => deleteWorkspace(state, workspace, 'first'))
        .thenRefused('default-workspace-not-deletable');
    }
  });

  it('happens once', () => {
    given(account, ...history, deleted)
      .when((state) => deleteWorkspace(state, 'eu', 'second'))
      .thenRefused('not-found');
  });

  it('frees its slug', () => {
    const create = { name: 'New', slug: 'eu' };
    const { state } = given(account, ...history, deleted);
    expect(createWorkspace(state, 'new', create, PLENTY)).toMatchObject([{ data: { slug: 'eu' } }]);
  });
});

describe('a deletion in two steps, of an earlier release,', () => {
  it('that was left undecided or was cancelled changes nothing', () => {
    const untouched = existing(given(account, ...history).state);
    for (const steps of [[started], [started, cancelled]]) {
      const before = given(account, ...history, ...steps);
      expect(existing(before.state).workspaces.toJS()).toEqual(untouched.workspaces.toJS());
      before.when((state) => deleteWorkspace(state, 'eu', 'first')).then(deleted);
    }
  });

  it('that was finished deleted the workspace', () => {
    const { workspaces } = existing(given(account, ...history, started, deleted).state);
    expect(workspaces.has('eu')).toBe(false);
  });
});
