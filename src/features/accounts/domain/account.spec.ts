import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  ACCOUNT,
  DEFAULT_WORKSPACE,
  managementKeyCreated,
  memberAdded,
  openedAccount,
  OWNER,
  PLENTY,
  workspaceCreated,
  workspaceMemberAdded,
} from '../../../../test/support/histories/accounts.js';
import { given } from '../../../../test/support/specs/given.js';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import { encodeAppend } from '../../../event-sourcing/event-log/eventstoredb/stored-form.js';
import type { EventMetadata } from '../../../kernel/metadata.js';
import { TEXT_MAX_LENGTH } from '../../../kernel/text.js';
import { addMember, createAccount, removeMember } from './account.decisions.js';
import type { AccountEvent } from './account.events.js';
import { account } from './account.js';
import {
  addWorkspaceMembers,
  createWorkspace,
  deleteWorkspace,
  memberLeaves,
  MEMBERSHIPS_END_AT_ONCE,
  removeWorkspaceMembers,
} from './workspace.decisions.js';
import { updateWorkspace } from './workspace-updates.js';

const wanted = {
  account_id: ACCOUNT,
  kind: 'organization' as const,
  name: 'Acme',
  owner_user_id: OWNER,
  default_workspace_id: DEFAULT_WORKSPACE,
  management_key_hash: 'hash-1',
};

describe('creating an account', () => {
  it('comes with owner, default workspace and management key, all in one decision', () => {
    given(account)
      .when((state) => createAccount(state, wanted))
      .then(...openedAccount());
  });

  it('is refused for an account that exists', () => {
    given(account, ...openedAccount())
      .when((state) => createAccount(state, wanted))
      .thenRefused('account-already-exists');
  });
});

describe('the secret that seals the cursors of an account', () => {
  it('is the random cause of its first event, the same in every fold', () => {
    const [opened] = openedAccount();
    if (!opened) throw new Error('an account begins with an event');
    const folded = (causation_id: string): unknown =>
      account.evolve(account.initial, {
        ...opened,
        metadata: { ...metadataAt(0), causation_id },
      });
    expect(folded('cause-1')).toMatchObject({ cursor_secret: 'cause-1' });
    expect(folded('cause-2')).toMatchObject({ cursor_secret: 'cause-2' });
  });
});

describe('members', () => {
  it('are added to an organization', () => {
    given(account, ...openedAccount())
      .when((state) => addMember(state, 'bob', PLENTY))
      .then(memberAdded('bob'));
  });

  it('are added once', () => {
    given(account, ...openedAccount(), memberAdded('bob'))
      .when((state) => addMember(state, 'bob', PLENTY))
      .thenNothing();
  });

  it('are not added to an individual account', () => {
    given(account, ...openedAccount('individual'))
      .when((state) => addMember(state, 'bob', PLENTY))
      .thenRefused('account-is-individual');
  });

  it('leave every workspace and lose every live management key when they are removed', () => {
    given(
      account,
      ...openedAccount(),
      memberAdded('bob'),
      workspaceCreated('eu'),
      workspaceCreated('us'),
      workspaceMemberAdded('eu', 'bob'),
      managementKeyCreated('hash-2', 'bob'),
      managementKeyCreated('hash-3', 'bob'),
      { type: 'ManagementKeyRevoked', data: { hash: 'hash-3' } },
    )
      .when((state) => removeMember(state, 'bob'))
      .then(
        { type: 'ManagementKeyRevoked', data: { hash: 'hash-2' } },
        { type: 'WorkspaceMemberRemoved', data: { workspace_id: 'eu', user_id: 'bob' } },
        { type: 'MemberRemoved', data: { account_id: ACCOUNT, user_id: 'bob' } },
      );
  });

  it('leave some at a time where there is much to end, their management keys first', () => {
    const workspaces = Array.from({ length: MEMBERSHIPS_END_AT_ONCE }, (_, index) => `w-${index}`);
    const leaves = workspaces.map((id) => memberLeaves(id, 'bob'));
    const revoked = { type: 'ManagementKeyRevoked', data: { hash: 'hash-2' } } as const;
    const before = [
      ...openedAccount(),
      memberAdded('bob'),
      ...workspaces.flatMap((id) => [workspaceCreated(id), workspaceMemberAdded(id, 'bob')]),
      managementKeyCreated('hash-2', 'bob'),
    ];
    const some = [revoked, ...leaves.slice(0, -1)];
    given(account, ...before)
      .when((state) => removeMember(state, 'bob'))
      .then(...some);
    given(account, ...before, ...some)
      .when((state) => removeMember(state, 'bob'))
      .then(...leaves.slice(-1), {
        type: 'MemberRemoved',
        data: { account_id: ACCOUNT, user_id: 'bob' },
      });
  });

  it('cannot be removed twice', () => {
    given(account, ...openedAccount(), memberAdded('bob'), {
      type: 'MemberRemoved',
      data: { account_id: ACCOUNT, user_id: 'bob' },
    })
      .when((state) => removeMember(state, 'bob'))
      .thenRefused('member-unknown');
  });

  it('cannot be removed when they own the account', () => {
    given(account, ...openedAccount())
      .when((state) => removeMember(state, OWNER))
      .thenRefused('owner-not-removable');
  });
});

describe('an account that does not exist', () => {
  it('is not found by any change', () => {
    const changes = [
      (state: typeof account.initial) => addMember(state, 'bob', PLENTY),
      (state: typeof account.initial) => removeMember(state, 'bob'),
      (state: typeof account.initial) => createWorkspace(state, 'w', { name: 'w' }, PLENTY),
      (state: typeof account.initial) => updateWorkspace(state, 'w', { restrictions: [] }),
      (state: typeof account.initial) => addWorkspaceMembers(state, 'w', ['bob'], PLENTY),
      (state: typeof account.initial) => removeWorkspaceMembers(state, 'w', ['bob']),
      (state: typeof account.initial) => deleteWorkspace(state, 'w'),
    ];
    for (const change of changes) given(account).when(change).thenRefused('not-found');
  });
});

describe('one append of EventStoreDB, with ids as long as they may be', () => {
  /** JSON writes such a character with six, which is the most for any id. */
  const longId = (name: string): string => '\u0001'.repeat(TEXT_MAX_LENGTH - name.length) + name;
  const metadata: EventMetadata = {
    ...metadataAt(0, randomUUID()),
    actor: { type: 'management-key', id: 'f'.repeat(64), user_id: longId('ada') },
    request_id: '"'.repeat(128),
    trace_id: 'f'.repeat(32),
    span_id: 'f'.repeat(16),
    more_in_append: MEMBERSHIPS_END_AT_ONCE,
  };

  const expectToFit = (events: readonly AccountEvent[]): void => {
    const stored = events.map((event) => ({ ...event, id: randomUUID(), version: 1, metadata }));
    expect(stored).toHaveLength(MEMBERSHIPS_END_AT_ONCE);
    expect(() => encodeAppend(stored)).not.toThrow();
  };

  it('holds the most members that a request adds to a workspace', () => {
    const users = Array.from({ length: 100 }, (_, index) => longId(String(index)));
    const workspace = randomUUID();
    const { state } = given(
      account,
      ...openedAccount(),
      workspaceCreated(workspace),
      ...users.map(memberAdded),
    );
    expectToFit(addWorkspaceMembers(state, workspace, users, PLENTY));
  });

  it('holds the most memberships that end at once with a member', () => {
    const bob = longId('bob');
    const workspaces = Array.from({ length: MEMBERSHIPS_END_AT_ONCE + 1 }, () => randomUUID());
    const { state } = given(
      account,
      ...openedAccount(),
      memberAdded(bob),
      ...workspaces.flatMap((id) => [workspaceCreated(id), workspaceMemberAdded(id, bob)]),
    );
    expectToFit(removeMember(state, bob));
  });
});
