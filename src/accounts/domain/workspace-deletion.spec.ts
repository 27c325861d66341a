import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  DEFAULT_WORKSPACE,
  memberAdded,
  openedAccount,
  OWNER,
  workspaceCreated,
  workspaceMemberAdded,
} from '../../../test/histories/accounts.js';
import { given } from '../../../test/specs/given.js';
import { timeAt } from '../../../test/specs/metadata-at.js';
import type { AccountEvent } from './account.events.js';
import { account, existing } from './account.js';
import { decideDeletion, startDeletion } from './workspace-deletion.js';
import {
  createWorkspace,
  existingWorkspace,
  memberLeaves,
  MEMBERSHIPS_END_AT_ONCE,
} from './workspace.decisions.js';

const started = (deletion_id: string): AccountEvent => ({
  type: 'WorkspaceDeletionStarted',
  data: { workspace_id: 'eu', deletion_id },
});
const cancelled = (deletion_id: string): AccountEvent => ({
  type: 'WorkspaceDeletionCancelled',
  data: { workspace_id: 'eu', deletion_id },
});
const deleted = (deletion_id: string): AccountEvent => ({
  type: 'WorkspaceDeleted',
  data: { account_id: ACCOUNT, workspace_id: 'eu', deletion_id },
});
const history = [...openedAccount(), memberAdded('bob'), workspaceCreated('eu')];
const first = { workspaceId: 'eu', deletionId: 'first' };

describe('deleting a workspace', () => {
  it('starts, and the workspace stays until it is decided', () => {
    given(account, ...history)
      .when((state) => startDeletion(state, 'eu', 'first'))
      .then(started('first'));
    const during = existing(given(account, ...history, started('first')).state);
    const deletion = { id: 'first', startedAt: timeAt(6) };
    expect(existingWorkspace(during, 'eu')).toMatchObject({ name: 'eu', deletion });
  });

  it('joins a deletion that is under way', () => {
    given(account, ...history, started('first'))
      .when((state) => startDeletion(state, 'eu', 'second'))
      .thenNothing();
  });

  it('is refused for the default workspace, by id and by slug', () => {
    for (const workspace of [DEFAULT_WORKSPACE, 'default']) {
      given(account, ...history)
        .when((state) => startDeletion(state, workspace, 'first'))
        .thenRefused('default-workspace-not-deletable');
    }
  });

  it('ends its memberships, and then it is gone', () => {
    const joined = [workspaceMemberAdded('eu', OWNER), workspaceMemberAdded('eu', 'bob')];
    given(account, ...history, ...joined, started('first'))
      .when((state) => decideDeletion(state, first, true))
      .then(
        { type: 'WorkspaceMemberRemoved', data: { workspace_id: 'eu', user_id: OWNER } },
        { type: 'WorkspaceMemberRemoved', data: { workspace_id: 'eu', user_id: 'bob' } },
        deleted('first'),
      );
    const after = existing(given(account, ...history, started('first'), deleted('first')).state);
    expect(after.workspaces.has('eu')).toBe(false);
  });

  it('ends many memberships some at a time, and then it is gone', () => {
    const users = Array.from(
      { length: MEMBERSHIPS_END_AT_ONCE + 1 },
      (_, index) => `user-${index}`,
    );
    const leaves = users.map((userId) => memberLeaves('eu', userId));
    const joined = users.map((userId) => workspaceMemberAdded('eu', userId));
    const before = [...history, ...users.map(memberAdded), ...joined, started('first')];
    const some = leaves.slice(0, MEMBERSHIPS_END_AT_ONCE);
    given(account, ...before)
      .when((state) => decideDeletion(state, first, true))
      .then(...some);
    given(account, ...before, ...some)
      .when((state) => decideDeletion(state, first, true))
      .then(...leaves.slice(MEMBERSHIPS_END_AT_ONCE), deleted('first'));
  });

  it('frees its slug', () => {
    const create = { workspaceId: 'new', name: 'New', slug: 'eu', restrictions: [] };
    const { state } = given(account, ...history, started('first'), deleted('first'));
    expect(createWorkspace(state, create)).toMatchObject([{ data: { slug: 'eu' } }]);
  });

  it('is cancelled when the workspace may not go, which leaves it as it was', () => {
    given(account, ...history, started('first'))
      .when((state) => decideDeletion(state, first, false))
      .then(cancelled('first'));
    const after = existing(given(account, ...history, started('first'), cancelled('first')).state);
    expect(existingWorkspace(after, 'eu')).toMatchObject({ deletion: null, updated_at: null });
  });

  it.each([true, false])('is decided once: a late answer (%s) changes nothing', (mayGo) => {
    for (const decision of [cancelled('first'), deleted('first')]) {
      given(account, ...history, started('first'), decision)
        .when((state) => decideDeletion(state, first, mayGo))
        .thenNothing();
    }
  });

  it('is not decided by what was found out for an earlier one', () => {
    given(account, ...history, started('first'), cancelled('first'), started('second'))
      .when((state) => decideDeletion(state, first, true))
      .thenNothing();
  });
});
