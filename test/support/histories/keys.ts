import type { KeyEvent } from '../../../src/features/keys/domain/key.events.js';

export const KEY_HASH = 'a'.repeat(64);
export const HOME = 'workspace-home';
export const AWAY = 'workspace-away';

type Created = Extract<KeyEvent, { type: 'ApiKeyCreated' }>;

/** Gives the creation of a plain key in its home workspace. `fields` replace its fields. */
export function keyCreated(changes: Partial<Created['data']> = {}): Created {
  return {
    type: 'ApiKeyCreated',
    data: {
      hash: KEY_HASH,
      account_id: 'account-1',
      workspace_id: HOME,
      name: 'first',
      creator_user_id: 'ada',
      limit: null,
      limit_reset: null,
      include_byok_in_limit: false,
      expires_at: null,
      external: null,
      ...changes,
    },
  };
}

/** Gives one event of every kind that can follow a creation and changes the record. */
export const keyChanges: readonly KeyEvent[] = [
  {
    type: 'ApiKeyRenamed',
    data: { hash: KEY_HASH, name: 'second', previous_name: 'first' },
  },
  { type: 'ApiKeyDisabled', data: { hash: KEY_HASH } },
  { type: 'ApiKeyEnabled', data: { hash: KEY_HASH } },
  {
    type: 'ApiKeyLimitChanged',
    data: { hash: KEY_HASH, limit: 12.5, previous_limit: null },
  },
  {
    type: 'ApiKeyLimitResetChanged',
    data: { hash: KEY_HASH, limit_reset: 'weekly', previous_limit_reset: null },
  },
  {
    type: 'ApiKeyByokInLimitChanged',
    data: { hash: KEY_HASH, include_byok_in_limit: true },
  },
  {
    type: 'ApiKeyExpiryChanged',
    data: {
      hash: KEY_HASH,
      expires_at: '2027-01-01T00:00:00.000Z',
      previous_expires_at: null,
    },
  },
  {
    type: 'ApiKeyMovedToWorkspace',
    data: {
      hash: KEY_HASH,
      workspace_id: AWAY,
      previous_workspace_id: HOME,
      moved_with_key: ['guardrails'],
      left_behind: ['presets'],
    },
  },
];

/** Gives the events of a rotation, and of the end of a string that was never added. */
export const stringChanges: readonly KeyEvent[] = [
  {
    type: 'ApiKeyStringAdded',
    data: {
      hash: KEY_HASH,
      string_hash: 'b'.repeat(64),
      others_end_at: '2026-03-01T00:00:00.000Z',
    },
  },
  { type: 'ApiKeyStringEnded', data: { hash: KEY_HASH, string_hash: 'c'.repeat(64) } },
];

/** Gives the event that deletes a key. */
export const keyDeleted: KeyEvent = { type: 'ApiKeyDeleted', data: { hash: KEY_HASH } };
