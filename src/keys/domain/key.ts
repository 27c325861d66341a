import type { Aggregate } from '../../kernel/aggregate.js';
import { Refusal, notFound } from '../../kernel/errors.js';
import type { Happened } from '../../kernel/event.js';
import type { Position } from '../../kernel/position.js';
import { bytesOfTexts } from '../../kernel/text.js';
import { type KeyEvent, keyEvents } from './key.events.js';

export const LIMIT_RESETS = ['daily', 'weekly', 'monthly'] as const;

export type LimitReset = (typeof LIMIT_RESETS)[number];

export function keyStream(hash: string): string {
  return `key-${hash}`;
}

/** An API key as its events tell it. */
export interface Key {
  readonly hash: string;
  readonly account_id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly disabled: boolean;
  /** USD, or null for none. */
  readonly limit: number | null;
  readonly limit_reset: LimitReset | null;
  readonly include_byok_in_limit: boolean;
  readonly creator_user_id: string;
  readonly external_user: string | null;
  /** ISO 8601 UTC, as are the other times. */
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string | null;
}

/** Null before it was created. */
export type KeyState = Key | 'deleted' | null;

function evolve(key: KeyState, event: Happened<KeyEvent>): KeyState {
  const { occurred_at } = event.metadata;
  if (event.type === 'ApiKeyCreated') {
    const { external, ...created } = event.data;
    return {
      disabled: false,
      external_user: external?.user ?? null,
      created_at: occurred_at,
      updated_at: null,
      ...created,
    };
  }
  if (key === null || key === 'deleted') return key;
  if (event.type === 'ApiKeyDeleted') return 'deleted';
  return { ...key, ...changedFields(event), updated_at: occurred_at };
}

type ChangeEvent = Exclude<Happened<KeyEvent>, { type: 'ApiKeyCreated' | 'ApiKeyDeleted' }>;

function changedFields(event: ChangeEvent): Partial<Key> {
  switch (event.type) {
    case 'ApiKeyRenamed':
      return { name: event.data.name };
    case 'ApiKeyDisabled':
      return { disabled: true };
    case 'ApiKeyEnabled':
      return { disabled: false };
    case 'ApiKeyLimitChanged':
      return { limit: event.data.limit };
    case 'ApiKeyLimitResetChanged':
      return { limit_reset: event.data.limit_reset };
    case 'ApiKeyByokInLimitChanged':
      return { include_byok_in_limit: event.data.include_byok_in_limit };
    case 'ApiKeyMovedToWorkspace':
      return { workspace_id: event.data.workspace_id };
  }
}

/** Of everything but its texts. */
const PLAIN_KEY_SIZE = 1_000;

export const key: Aggregate<KeyState, KeyEvent> = {
  events: keyEvents,
  initial: null,
  evolve,
  sizeOf: (state) =>
    state === null || state === 'deleted' ? 1 : PLAIN_KEY_SIZE + bytesOfTexts(state),
};

/** A key that is wanted. */
export interface NewKey {
  readonly hash: string;
  readonly accountId: string;
  readonly name: string;
  readonly creatorUserId: string;
  readonly limit: number | null;
  readonly limitReset: LimitReset | null;
  readonly includeByokInLimit: boolean;
  readonly expiresAt: string | null;
  readonly external: { readonly user: string; readonly lookupKeyHash: string | null } | null;
}

/**
 * @param workspaceId of the workspace that is wanted, undefined when the account has none such.
 * @throws Refusal when it has none; an Error when the hash is that of another key.
 */
export function createKey(
  state: KeyState,
  wanted: NewKey,
  workspaceId: string | undefined,
): KeyEvent[] {
  if (state) throw new Error('a new key string has the hash of an existing key');
  if (workspaceId === undefined) throw unknownWorkspace();
  const { external } = wanted;
  return [
    {
      type: 'ApiKeyCreated',
      data: {
        hash: wanted.hash,
        account_id: wanted.accountId,
        workspace_id: workspaceId,
        name: wanted.name,
        creator_user_id: wanted.creatorUserId,
        limit: wanted.limit,
        limit_reset: wanted.limitReset,
        include_byok_in_limit: wanted.includeByokInLimit,
        expires_at: wanted.expiresAt,
        external: external && {
          user: external.user,
          lookup_key_hash: external.lookupKeyHash,
        },
      },
    },
  ];
}

/** Fields that are absent stay as they are. */
export interface KeyChanges {
  readonly name?: string;
  readonly disabled?: boolean;
  readonly limit?: number | null;
  readonly limitReset?: LimitReset | null;
  readonly includeByokInLimit?: boolean;
  readonly workspaceId?: string;
}

/** The key of this account, or the refusal that tells neither a foreign nor a deleted key from none. */
export function ownKey(state: KeyState, accountId: string, position?: Position): Key {
  if (state === null || state === 'deleted' || state.account_id !== accountId) {
    throw notFound(position);
  }
  return state;
}

/** Deletes a key for good: no command finds it afterwards. */
export function deleteKey({ hash }: Key): KeyEvent[] {
  return [{ type: 'ApiKeyDeleted', data: { hash } }];
}

/** The two workspaces of a move as their account has them. */
export interface MoveFacts {
  /** Restrictions of the workspace the key is in. */
  readonly from: readonly string[];
  /** The wanted workspace, undefined when the account has none such. */
  readonly to:
    { readonly restrictions: readonly string[]; readonly admitsCreator: boolean } | undefined;
}

/**
 * One event for each thing that changes; none when everything has the wanted value already
 * (docs/api.md 4.2). @param move needed when the changes name a workspace.
 */
export function updateKey(key: Key, changes: KeyChanges, move?: MoveFacts): KeyEvent[] {
  return [
    ...moveToWorkspace(key, changes, move),
    ...rename(key, changes),
    ...changeLimit(key, changes),
    ...changeLimitReset(key, changes),
    ...changeByokInLimit(key, changes),
    ...switchDisabled(key, changes),
  ];
}

function moveToWorkspace(key: Key, { workspaceId }: KeyChanges, move?: MoveFacts): KeyEvent[] {
  if (workspaceId === undefined) return [];
  if (!move?.to) throw unknownWorkspace();
  if (workspaceId === key.workspace_id) return [];
  const { from, to } = move;
  const missing = from.filter((wanted) => !to.restrictions.includes(wanted));
  if (missing.length > 0) {
    throw new Refusal('restrictions-incompatible', { missing_restrictions: missing });
  }
  if (!to.admitsCreator) throw new Refusal('creator-not-a-member');
  return [movedTo(key, workspaceId)];
}

export function movedTo(key: Key, workspaceId: string): KeyEvent {
  return {
    type: 'ApiKeyMovedToWorkspace',
    data: {
      hash: key.hash,
      workspace_id: workspaceId,
      previous_workspace_id: key.workspace_id,
      moved_with_key: ['guardrails'],
      left_behind: ['presets', 'byok_keys', 'broadcast_destinations', 'routing_rules'],
    },
  };
}

function rename({ hash, name: previous_name }: Key, { name }: KeyChanges): KeyEvent[] {
  if (name === undefined || name === previous_name) return [];
  return [{ type: 'ApiKeyRenamed', data: { hash, name, previous_name } }];
}

function changeLimit({ hash, limit: previous_limit }: Key, { limit }: KeyChanges): KeyEvent[] {
  if (limit === undefined || limit === previous_limit) return [];
  return [{ type: 'ApiKeyLimitChanged', data: { hash, limit, previous_limit } }];
}

function changeLimitReset(key: Key, { limitReset }: KeyChanges): KeyEvent[] {
  const { hash, limit_reset: previous_limit_reset } = key;
  if (limitReset === undefined || limitReset === previous_limit_reset) return [];
  return [
    {
      type: 'ApiKeyLimitResetChanged',
      data: { hash, limit_reset: limitReset, previous_limit_reset },
    },
  ];
}

function changeByokInLimit(key: Key, { includeByokInLimit }: KeyChanges): KeyEvent[] {
  if (includeByokInLimit === undefined || includeByokInLimit === key.include_byok_in_limit)
    return [];
  return [
    {
      type: 'ApiKeyByokInLimitChanged',
      data: { hash: key.hash, include_byok_in_limit: includeByokInLimit },
    },
  ];
}

function switchDisabled(key: Key, { disabled }: KeyChanges): KeyEvent[] {
  if (disabled === undefined || disabled === key.disabled) return [];
  return [{ type: disabled ? 'ApiKeyDisabled' : 'ApiKeyEnabled', data: { hash: key.hash } }];
}

/** @param position that the answer reflects at least, where a read model was asked. */
export function unknownWorkspace(position?: Position): Refusal {
  const issues = [{ path: 'workspace_id', message: 'is no workspace of this account' }];
  return new Refusal('workspace-unknown', { issues }, position);
}
