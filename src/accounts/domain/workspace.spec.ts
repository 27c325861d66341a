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
import { account, existing } from './account.js';
import {
  addWorkspaceMember,
  addWorkspaceMembers,
  createWorkspace,
  existingWorkspace,
  removeWorkspaceMember,
  removeWorkspaceMembers,
  updateWorkspace,
} from './workspace.decisions.js';

describe('creating a workspace', () => {
  const create = { workspaceId: 'eu', name: 'Europe', restrictions: ['zdr', 'eu-only', 'zdr'] };

  it('keeps its restrictions as a set, in one order, and makes a slug of its name', () => {
    given(account, ...openedAccount())
      .when((state) => createWorkspace(state, create))
      .then({
        type: 'WorkspaceCreated',
        data: {
          account_id: ACCOUNT,
          workspace_id: 'eu',
          name: 'Europe',
          slug: 'europe',
          description: null,
          restrictions: ['eu-only', 'zdr'],
          is_default: false,
        },
      });
  });

  it('takes the slug it is given, once in an account', () => {
    const named = { ...create, slug: 'old-world' };
    const before = given(account, ...openedAccount());
    expect(createWorkspace(before.state, named)).toMatchObject([{ data: { slug: 'old-world' } }]);
    given(account, ...openedAccount(), workspaceCreated('old-world'))
      .when((state) => createWorkspace(state, named))
      .thenRefused('workspace-slug-taken');
  });

  it('numbers the slug it makes when the name has been given before', () => {
    const { state } = given(
      account,
      ...openedAccount(),
      workspaceCreated('europe'),
      workspaceCreated('europe-2'),
    );
    expect(createWorkspace(state, create)).toMatchObject([{ data: { slug: 'europe-3' } }]);
    const another = { ...create, name: 'Default' };
    expect(createWorkspace(state, another)).toMatchObject([{ data: { slug: 'default-2' } }]);
  });
});

describe('a workspace', () => {
  const history = [...openedAccount(), workspaceCreated('eu', ['eu-only'])];

  it('knows who made it, when, and when it changed', () => {
    const made = given(account, ...history).state;
    const record = { created_by: null, created_at: timeAt(4), updated_at: null };
    expect(existingWorkspace(existing(made), 'eu')).toMatchObject(record);
    const changed = given(account, ...history, {
      type: 'WorkspaceRenamed',
      data: { workspace_id: 'eu', name: 'Europe', previous_name: 'eu' },
    }).state;
    const renamed = { name: 'Europe', created_at: timeAt(4), updated_at: timeAt(5) };
    expect(existingWorkspace(existing(changed), 'eu')).toMatchObject(renamed);
  });

  it('is found by its id and by its slug, an id before a slug', () => {
    const moved = {
      type: 'WorkspaceSlugChanged' as const,
      data: { workspace_id: 'eu', slug: 'us', previous_slug: 'eu' },
    };
    const found = existing(given(account, ...history, moved).state);
    expect(existingWorkspace(found, 'eu').id).toBe('eu');
    expect(existingWorkspace(found, 'us').id).toBe('eu');
    const both = existing(given(account, ...history, moved, workspaceCreated('us')).state);
    expect(existingWorkspace(both, 'us').id).toBe('us');
  });

  it('changes in everything at once, one event for each thing, which knows what was before', () => {
    const wanted = {
      name: 'Europe',
      slug: 'europe',
      description: 'Old world',
      restrictions: ['zdr'],
    };
    const workspace_id = 'eu';
    given(account, ...history)
      .when((state) => updateWorkspace(state, 'eu', wanted))
      .then(
        { type: 'WorkspaceRenamed', data: { workspace_id, name: 'Europe', previous_name: 'eu' } },
        {
          type: 'WorkspaceSlugChanged',
          data: { workspace_id, slug: 'europe', previous_slug: 'eu' },
        },
        {
          type: 'WorkspaceDescriptionChanged',
          data: { workspace_id, description: 'Old world', previous_description: null },
        },
        {
          type: 'WorkspaceRestricted',
          data: { workspace_id, restrictions: ['zdr'], previous_restrictions: ['eu-only'] },
        },
      );
  });

  it('does not change when it gets what it has', () => {
    const same = { name: 'eu', slug: 'eu', description: null, restrictions: ['b', 'a', 'b'] };
    given(account, ...openedAccount(), workspaceCreated('eu', ['a', 'b']))
      .when((state) => updateWorkspace(state, 'eu', same))
      .thenNothing();
    given(account, ...history)
      .when((state) => updateWorkspace(state, 'eu', {}))
      .thenNothing();
  });

  it('does not get the slug of another one, and then nothing else either', () => {
    given(account, ...history)
      .when((state) => updateWorkspace(state, 'eu', { name: 'Europe', slug: 'default' }))
      .thenRefused('workspace-slug-taken');
  });

  it('may take the slug that another one gave up', () => {
    const { state } = given(account, ...history, {
      type: 'WorkspaceSlugChanged',
      data: { workspace_id: DEFAULT_WORKSPACE, slug: 'home', previous_slug: 'default' },
    });
    expect(updateWorkspace(state, 'eu', { slug: 'default' })).toHaveLength(1);
  });

  it('is not found when it does not exist', () => {
    given(account, ...history)
      .when((state) => updateWorkspace(state, 'nowhere', { name: 'a' }))
      .thenRefused('not-found');
  });
});

describe('the members of a workspace', () => {
  const history = [...openedAccount(), memberAdded('bob'), workspaceCreated('eu')];
  const left = (user_id: string) => ({
    type: 'WorkspaceMemberRemoved' as const,
    data: { workspace_id: 'eu', user_id },
  });

  it('are members of the account', () => {
    given(account, ...history)
      .when((state) => addWorkspaceMember(state, 'eu', 'bob'))
      .then(workspaceMemberAdded('eu', 'bob'));
    given(account, ...history)
      .when((state) => addWorkspaceMember(state, 'eu', 'stranger'))
      .thenRefused('member-unknown');
  });

  it('are added once and removed once', () => {
    given(account, ...history, workspaceMemberAdded('eu', OWNER))
      .when((state) => addWorkspaceMember(state, 'eu', OWNER))
      .thenRefused('workspace-member-already-added');
    given(account, ...history, workspaceMemberAdded('eu', OWNER))
      .when((state) => removeWorkspaceMember(state, 'eu', OWNER))
      .then(left(OWNER));
    given(account, ...history)
      .when((state) => removeWorkspaceMember(state, 'eu', OWNER))
      .thenRefused('workspace-member-unknown');
  });

  it('are added many at a time, and who is there already stays', () => {
    given(account, ...history, workspaceMemberAdded('eu', OWNER))
      .when((state) => addWorkspaceMembers(state, 'eu', ['bob', OWNER, 'bob']))
      .then(workspaceMemberAdded('eu', 'bob'));
  });

  it('are removed many at a time, and who is not there stays away', () => {
    given(account, ...history, workspaceMemberAdded('eu', OWNER))
      .when((state) => removeWorkspaceMembers(state, 'eu', ['bob', OWNER, OWNER]))
      .then(left(OWNER));
  });

  it('change all or not at all: one stranger to the account refuses them all, by name', () => {
    for (const change of [addWorkspaceMembers, removeWorkspaceMembers]) {
      given(account, ...history, workspaceMemberAdded('eu', OWNER))
        .when((state) => change(state, 'eu', ['bob', OWNER, 'cy', 'cy', 'dan']))
        .thenRefused('member-unknown', {
          issues: [{ path: 'user_ids', message: expect.any(String) }],
          user_ids: ['cy', 'dan'],
        });
    }
  });

  it('of the default workspace are those of the account and cannot be changed', () => {
    for (const change of [addWorkspaceMember, removeWorkspaceMember]) {
      given(account, ...history)
        .when((state) => change(state, DEFAULT_WORKSPACE, OWNER))
        .thenRefused('default-workspace-members-fixed');
    }
    for (const change of [addWorkspaceMembers, removeWorkspaceMembers]) {
      given(account, ...history)
        .when((state) => change(state, 'default', [OWNER]))
        .thenRefused('default-workspace-members-fixed');
    }
  });
});
