import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  DEFAULT_WORKSPACE,
  openedAccount,
  PLENTY,
  workspaceCreated,
} from '../../../../test/support/histories/accounts.js';
import { given } from '../../../../test/support/specs/given.js';
import { timeAt } from '../../../../test/support/specs/metadata-at.js';
import { account, requireAccount } from './account.js';
import { createWorkspace, requireWorkspace } from './workspace.decisions.js';
import { updateWorkspace } from './workspace-updates.js';

describe('creating a workspace', () => {
  const create = { name: 'Europe', restrictions: ['zdr', 'eu-only', 'zdr'] };

  it('keeps its restrictions as a set, in one order, and makes a slug of its name', () => {
    given(account, ...openedAccount())
      .when((state) => createWorkspace(state, 'eu', create, PLENTY))
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
    expect(createWorkspace(before.state, 'eu', named, PLENTY)).toMatchObject([
      { data: { slug: 'old-world' } },
    ]);
    given(account, ...openedAccount(), workspaceCreated('old-world'))
      .when((state) => createWorkspace(state, 'eu', named, PLENTY))
      .thenRefused('workspace-slug-taken');
  });

  it('numbers the slug it makes when the name has been given before', () => {
    const { state } = given(
      account,
      ...openedAccount(),
      workspaceCreated('europe'),
      workspaceCreated('europe-2'),
    );
    expect(createWorkspace(state, 'eu', create, PLENTY)).toMatchObject([
      { data: { slug: 'europe-3' } },
    ]);
    const another = { ...create, name: 'Default' };
    expect(createWorkspace(state, 'eu', another, PLENTY)).toMatchObject([
      { data: { slug: 'default-2' } },
    ]);
  });
});

describe('a workspace', () => {
  const history = [...openedAccount(), workspaceCreated('eu', ['eu-only'])];

  it('knows who made it, when, and when it changed', () => {
    const made = given(account, ...history).state;
    const record = { created_by: null, created_at: timeAt(4), updated_at: null };
    expect(requireWorkspace(requireAccount(made), 'eu')).toMatchObject(record);
    const changed = given(account, ...history, {
      type: 'WorkspaceRenamed',
      data: { workspace_id: 'eu', name: 'Europe', previous_name: 'eu' },
    }).state;
    const renamed = { name: 'Europe', created_at: timeAt(4), updated_at: timeAt(5) };
    expect(requireWorkspace(requireAccount(changed), 'eu')).toMatchObject(renamed);
  });

  it('is found by its id and by its slug, an id before a slug', () => {
    const moved = {
      type: 'WorkspaceSlugChanged' as const,
      data: { workspace_id: 'eu', slug: 'us', previous_slug: 'eu' },
    };
    const found = requireAccount(given(account, ...history, moved).state);
    expect(requireWorkspace(found, 'eu').id).toBe('eu');
    expect(requireWorkspace(found, 'us').id).toBe('eu');
    const both = requireAccount(given(account, ...history, moved, workspaceCreated('us')).state);
    expect(requireWorkspace(both, 'us').id).toBe('us');
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
