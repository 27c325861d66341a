import { describe, expect, it } from '@jest/globals';
import {
  AWAY,
  HOME,
  KEY_HASH,
  keyChanges,
  keyCreated,
  keyDeleted,
} from '../../../../test/support/histories/keys.js';
import { given } from '../../../../test/support/specs/given.js';
import { timeAt } from '../../../../test/support/specs/metadata-at.js';
import { deleteKey, effectiveKey, key, type KeyState, ownKey } from './key.js';
import { type KeyChanges, updateKey, type WorkspaceFacts } from './key-updates.js';
import type { KeyEvent } from './key.events.js';

const update =
  (changes: KeyChanges, to = { restrictions: [''].slice(1), admitsCreator: true }) =>
  (state: KeyState): KeyEvent[] =>
    updateKey(ownKey(state, 'account-1'), changes, { from: [], to });

describe('a key', () => {
  it('starts enabled and never updated', () => {
    expect(given(key, keyCreated()).state).toMatchObject({
      disabled: false,
      created_at: timeAt(0),
      updated_at: null,
    });
  });

  it.each(keyChanges)('was updated when $type last happened to it', (change) => {
    expect(given(key, keyCreated(), change).state).toMatchObject({
      created_at: timeAt(0),
      updated_at: timeAt(1),
    });
  });

  it('shows every change', () => {
    expect(given(key, keyCreated(), ...keyChanges).state).toMatchObject({
      name: 'second',
      disabled: false,
      limit: 12.5,
      limit_reset: 'weekly',
      include_byok_in_limit: true,
      workspace_id: AWAY,
    });
  });

  it('is not kept in memory before it changes, because one event is read as fast as none', () => {
    const created = given(key, keyCreated()).state;
    const changed = given(key, keyCreated(), ...keyChanges).state;
    expect([created, changed].map((state) => Number.isFinite(key.sizeOf(state)))).toEqual([
      false,
      true,
    ]);
  });

  it('of another account is not found, as one that does not exist', () => {
    for (const history of [[], [keyCreated({ account_id: 'account-2' })]]) {
      given(key, ...history)
        .when(update({ name: 'stolen' }))
        .thenRefused('not-found', null);
    }
  });
});

describe('updating a key', () => {
  it('gives one event for each thing that changes', () => {
    given(key, keyCreated())
      .when(
        update({
          name: 'second',
          disabled: true,
          limit: 12.5,
          limit_reset: 'weekly',
          include_byok_in_limit: true,
          workspace_id: AWAY,
        }),
      )
      .then(
        {
          type: 'ApiKeyMovedToWorkspace',
          data: {
            hash: KEY_HASH,
            workspace_id: AWAY,
            previous_workspace_id: HOME,
            moved_with_key: ['guardrails'],
            left_behind: ['presets', 'byok_keys', 'broadcast_destinations', 'routing_rules'],
          },
        },
        ...keyChanges.filter(({ type }) => type === 'ApiKeyRenamed'),
        ...keyChanges.filter(({ type }) => type === 'ApiKeyLimitChanged'),
        ...keyChanges.filter(({ type }) => type === 'ApiKeyLimitResetChanged'),
        ...keyChanges.filter(({ type }) => type === 'ApiKeyByokInLimitChanged'),
        ...keyChanges.filter(({ type }) => type === 'ApiKeyDisabled'),
      );
  });

  it('changes nothing when every field has its value already', () => {
    given(key, keyCreated({ limit: 0.1, limit_reset: 'monthly' }))
      .when(
        update({
          name: 'first',
          disabled: false,
          limit: 0.1,
          limit_reset: 'monthly',
          include_byok_in_limit: false,
          workspace_id: HOME,
        }),
      )
      .thenNothing();
  });

  it('distinguishes null, a value, from absence', () => {
    given(key, keyCreated({ limit: 5, limit_reset: 'daily' }))
      .when(update({ limit: null, limit_reset: null }))
      .then(
        {
          type: 'ApiKeyLimitChanged',
          data: { hash: KEY_HASH, limit: null, previous_limit: 5 },
        },
        {
          type: 'ApiKeyLimitResetChanged',
          data: { hash: KEY_HASH, limit_reset: null, previous_limit_reset: 'daily' },
        },
      );
  });

  it('enables a disabled key', () => {
    given(key, keyCreated(), { type: 'ApiKeyDisabled', data: { hash: KEY_HASH } })
      .when(update({ disabled: false }))
      .then({ type: 'ApiKeyEnabled', data: { hash: KEY_HASH } });
  });
});

describe('moving a key', () => {
  const move =
    (from: string[], to: { restrictions: string[]; admitsCreator: boolean } | undefined) =>
    (state: KeyState): KeyEvent[] =>
      updateKey(ownKey(state, 'account-1'), { workspace_id: AWAY, name: 'moved' }, { from, to });

  it.each([[['a', 'b']], [['a']]])(
    'may tighten restrictions and keep them: to %j',
    (restrictions) => {
      const events = move(['a'], { restrictions, admitsCreator: true })(
        given(key, keyCreated()).state,
      );
      expect(events.map(({ type }) => type)).toEqual(['ApiKeyMovedToWorkspace', 'ApiKeyRenamed']);
    },
  );

  it('never loosens them, and names the missing ones', () => {
    given(key, keyCreated())
      .when(move(['a', 'b', 'c'], { restrictions: ['b'], admitsCreator: true }))
      .thenRefused('restrictions-incompatible', { missing_restrictions: ['a', 'c'] });
  });

  it('needs the creator in the target workspace', () => {
    given(key, keyCreated())
      .when(move([], { restrictions: [], admitsCreator: false }))
      .thenRefused('creator-not-a-member');
  });

  it('is refused for its restrictions before it is for its creator', () => {
    given(key, keyCreated())
      .when(move(['a'], { restrictions: [], admitsCreator: false }))
      .thenRefused('restrictions-incompatible');
  });

  it('needs a workspace of the account', () => {
    given(key, keyCreated()).when(move([], undefined)).thenRefused('workspace-unknown');
  });

  it('to the workspace that it is in checks nothing', () => {
    given(key, keyCreated())
      .when(
        update({ workspace_id: HOME, name: 'second' }, { restrictions: [], admitsCreator: false }),
      )
      .then(...keyChanges.filter(({ type }) => type === 'ApiKeyRenamed'));
  });
});

describe('a key in a workspace that was deleted', () => {
  const before = given(key, keyCreated());
  const disabled = given(key, keyCreated(), { type: 'ApiKeyDisabled', data: { hash: KEY_HASH } });
  const none = { from: [], to: undefined };
  const elsewhere = { from: [], to: { restrictions: [], admitsCreator: true } };
  const updated =
    (changes: KeyChanges, workspaces: WorkspaceFacts) =>
    (state: KeyState): KeyEvent[] =>
      updateKey(ownKey(state, 'account-1'), changes, workspaces);

  it('counts as disabled, and nothing else of it changes', () => {
    const own = ownKey(before.state, 'account-1');
    const live = new Set([own.workspace_id]);
    expect(effectiveKey(own, new Set())).toEqual({ ...own, disabled: true });
    expect(effectiveKey(own, live)).toBe(own);
    expect(effectiveKey(ownKey(disabled.state, 'account-1'), live).disabled).toBe(true);
  });

  it('is enabled by a move alone, whatever its own flag says', () => {
    for (const state of [before, disabled]) {
      state.when(updated({ disabled: false }, none)).thenRefused('workspace-gone');
      state.when(updated({ disabled: false, name: 'b' }, none)).thenRefused('workspace-gone');
    }
    const moved = updated({ disabled: false, workspace_id: AWAY }, elsewhere);
    expect(moved(before.state).map(({ type }) => type)).toEqual(['ApiKeyMovedToWorkspace']);
    expect(moved(disabled.state).map(({ type }) => type)).toEqual([
      'ApiKeyMovedToWorkspace',
      'ApiKeyEnabled',
    ]);
  });

  it('is not moved to a workspace that is none, or to the one that it is in', () => {
    for (const workspace_id of [AWAY, HOME]) {
      before
        .when(updated({ disabled: false, workspace_id }, none))
        .thenRefused('workspace-unknown');
    }
  });

  it('takes every other change', () => {
    const changes = { name: 'second', disabled: true };
    expect(updated(changes, none)(before.state)).toHaveLength(2);
  });
});

describe('deleting a key', () => {
  const remove = (state: KeyState): KeyEvent[] => deleteKey(ownKey(state, 'account-1'));

  it('is one event, whatever the state of the key', () => {
    for (const history of [[keyCreated()], [keyCreated(), ...keyChanges]]) {
      given(key, ...history)
        .when(remove)
        .then(keyDeleted);
    }
  });

  it('of another account, or of none, is refused', () => {
    for (const history of [[], [keyCreated({ account_id: 'account-2' })]]) {
      given(key, ...history)
        .when(remove)
        .thenRefused('not-found', null);
    }
  });

  it('is final: no later command finds the key', () => {
    const after = given(key, keyCreated(), keyDeleted, ...keyChanges);
    after.when(remove).thenRefused('not-found', null);
    after.when(update({ disabled: false })).thenRefused('not-found', null);
  });
});
