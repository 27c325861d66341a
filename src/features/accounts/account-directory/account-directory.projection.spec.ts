import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  DEFAULT_WORKSPACE,
  memberAdded,
  openedAccount,
  OWNER,
  workspaceCreated,
  workspaceMemberAdded,
} from '../../../../test/support/histories/accounts.js';
import { timeAt } from '../../../../test/support/specs/metadata-at.js';
import { positionAt } from '../../../../test/support/specs/document-table.js';
import { projected } from '../../../../test/support/specs/projected.js';
import type { AccountEvent } from '../domain/account.events.js';
import { accountDirectory } from './account-directory.projection.js';

const opened = openedAccount();
const memberRemoved = (user_id: string): AccountEvent => ({
  type: 'MemberRemoved',
  data: { account_id: ACCOUNT, user_id },
});
const workspaceMemberRemoved = (workspace_id: string, user_id: string): AccountEvent => ({
  type: 'WorkspaceMemberRemoved',
  data: { workspace_id, user_id },
});
const workspaceDeleted = (workspace_id: string): AccountEvent => ({
  type: 'WorkspaceDeleted',
  data: { account_id: ACCOUNT, workspace_id },
});

describe('the account directory', () => {
  it('lists an account, its owner, its default workspace and its management key', async () => {
    const documents = await projected(accountDirectory, ...opened);
    expect(documents).toEqual({
      [`accounts/${ACCOUNT}`]: {
        account_id: ACCOUNT,
        kind: 'organization',
        name: 'Acme',
        owner_user_id: OWNER,
        default_workspace_id: DEFAULT_WORKSPACE,
        created_at: timeAt(0),
        created_position: positionAt(1),
      },
      [`members/${ACCOUNT}/${OWNER}`]: {
        member_of: ACCOUNT,
        user_id: OWNER,
        joined_position: positionAt(2),
      },
      [`workspaces/${DEFAULT_WORKSPACE}`]: {
        account_id: ACCOUNT,
        id: DEFAULT_WORKSPACE,
        name: 'Default',
        slug: 'default',
        description: null,
        restrictions: [],
        is_default: true,
        created_by: null,
        created_at: timeAt(2),
        updated_at: null,
        created_position: positionAt(3),
      },
      'management_keys/hash-1': {
        account_id: ACCOUNT,
        hash: 'hash-1',
        user_id: OWNER,
        name: null,
        role: 'admin',
        expires_at: null,
        created_by: null,
        revoked_at: null,
        is_revoked: false,
        created_at: timeAt(3),
        created_position: positionAt(4),
      },
    });
  });

  it.each<[AccountEvent, object]>([
    [
      { type: 'WorkspaceRenamed', data: { workspace_id: 'eu', name: 'b', previous_name: 'eu' } },
      { name: 'b' },
    ],
    [
      { type: 'WorkspaceSlugChanged', data: { workspace_id: 'eu', slug: 'b', previous_slug: 'a' } },
      { slug: 'b' },
    ],
    [
      {
        type: 'WorkspaceDescriptionChanged',
        data: { workspace_id: 'eu', description: 'b', previous_description: null },
      },
      { description: 'b' },
    ],
    [
      {
        type: 'WorkspaceRestricted',
        data: { workspace_id: 'eu', restrictions: ['b'], previous_restrictions: ['a'] },
      },
      { restrictions: ['b'] },
    ],
  ])('shows a workspace as it is after $type, and when that was', async (event, change) => {
    const before = [...opened, workspaceCreated('eu', ['a'])];
    const { 'workspaces/eu': was } = await projected(accountDirectory, ...before);
    const { 'workspaces/eu': is } = await projected(accountDirectory, ...before, event);
    expect(is).toEqual({ ...was, ...change, updated_at: timeAt(5) });
  });

  it('has the members of an account and of its workspaces, however often they come and go', async () => {
    const history = [
      ...opened,
      memberAdded('bob'),
      workspaceCreated('eu'),
      workspaceMemberAdded('eu', 'bob'),
      workspaceMemberAdded('eu', OWNER),
      workspaceMemberRemoved('eu', 'bob'),
      memberRemoved('bob'),
    ];
    const gone = await projected(accountDirectory, ...history);
    expect(Object.keys(gone).filter((name) => name.startsWith('members/'))).toEqual([
      `members/${ACCOUNT}/${OWNER}`,
      `members/eu/${OWNER}`,
    ]);
    const back = [...history, memberAdded('bob'), workspaceMemberAdded('eu', 'bob')];
    const documents = await projected(accountDirectory, ...back);
    expect(documents[`members/${ACCOUNT}/bob`]).toMatchObject({ joined_position: positionAt(11) });
    expect(documents['members/eu/bob']).toMatchObject({ joined_position: positionAt(12) });
    expect(documents['workspaces/eu']).toMatchObject({ updated_at: null });
  });

  it('has nothing of a workspace that was deleted', async () => {
    const ended = [
      workspaceCreated('eu'),
      workspaceMemberAdded('eu', OWNER),
      workspaceMemberRemoved('eu', OWNER),
      workspaceDeleted('eu'),
    ];
    const documents = await projected(accountDirectory, ...opened, ...ended);
    expect(Object.keys(documents)).toEqual(
      Object.keys(await projected(accountDirectory, ...opened)),
    );
  });

  it('shows when a management key was revoked', async () => {
    const documents = await projected(accountDirectory, ...opened, {
      type: 'ManagementKeyRevoked',
      data: { hash: 'hash-1' },
    });
    expect(documents['management_keys/hash-1']).toMatchObject({
      revoked_at: timeAt(4),
      is_revoked: true,
    });
  });

  it('passes over facts about what it never saw made', async () => {
    const documents = await projected(
      accountDirectory,
      { type: 'ManagementKeyRevoked', data: { hash: 'nobody' } },
      {
        type: 'WorkspaceRestricted',
        data: { workspace_id: 'nowhere', restrictions: [], previous_restrictions: [] },
      },
      workspaceMemberAdded('nowhere', 'nobody'),
      workspaceDeleted('nowhere'),
      memberAdded('nobody'),
      {
        type: 'ManagementKeyCreated',
        data: { account_id: 'nobody', hash: 'h', user_id: 'u', name: null },
      },
    );
    expect(documents).toEqual({});
  });
});
