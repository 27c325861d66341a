import { Refusal } from '../../../kernel/errors.js';
import { type Key, unknownWorkspace } from './key.js';
import type { KeyEvent } from './key.events.js';

type SetField = 'name' | 'limit' | 'limit_reset' | 'include_byok_in_limit' | 'disabled';

export type KeyChanges = Partial<Pick<Key, SetField | 'workspace_id' | 'expires_at'>>;

/**
 * The functions that make the event of an update, by field. The order of the rows is that of the
 * events. PATCH takes these fields and `workspace_id`, so no other field can be updated.
 */
const EVENT_OF: { readonly [Field in SetField]: (key: Key, value: Key[Field]) => KeyEvent } = {
  name: ({ hash, name: previous_name }, name) => ({
    type: 'ApiKeyRenamed',
    data: { hash, name, previous_name },
  }),
  limit: ({ hash, limit: previous_limit }, limit) => ({
    type: 'ApiKeyLimitChanged',
    data: { hash, limit, previous_limit },
  }),
  limit_reset: ({ hash, limit_reset: previous_limit_reset }, limit_reset) => ({
    type: 'ApiKeyLimitResetChanged',
    data: { hash, limit_reset, previous_limit_reset },
  }),
  include_byok_in_limit: ({ hash }, include_byok_in_limit) => ({
    type: 'ApiKeyByokInLimitChanged',
    data: { hash, include_byok_in_limit },
  }),
  disabled: ({ hash }, disabled) => ({
    type: disabled ? 'ApiKeyDisabled' : 'ApiKeyEnabled',
    data: { hash },
  }),
};

const SET_FIELDS = Object.keys(EVENT_OF) as readonly SetField[];

/** The fields that an update may change. `workspace_id` has no row: a move has its own rules. */
export const CHANGEABLE: readonly (SetField | 'workspace_id')[] = [...SET_FIELDS, 'workspace_id'];

export interface WorkspaceFacts {
  /** The restrictions of the workspace that the key is in; the last ones when it was deleted. */
  readonly from: readonly string[];
  /** The workspace of the key after the update; undefined when the account has no such one. */
  readonly to:
    { readonly restrictions: readonly string[]; readonly admitsCreator: boolean } | undefined;
}

/**
 * Decides an update: one event for each field that gets another value (docs/api.md 4.2).
 * @param workspaces needed when the changes name a workspace or enable the key.
 * @throws Refusal for a move that is not allowed, and for enabling a key in a deleted workspace.
 */
export function updateKey(key: Key, changes: KeyChanges, workspaces?: WorkspaceFacts): KeyEvent[] {
  const set = SET_FIELDS.flatMap((field) => setField(key, field, changes));
  return [...moveToWorkspace(key, changes, workspaces), ...set, ...changeExpiry(key, changes)];
}

/** PATCH does not take an expiry: its contract ignores the field. */
function changeExpiry(key: Key, { expires_at }: KeyChanges): KeyEvent[] {
  const { hash, expires_at: previous_expires_at } = key;
  if (expires_at === undefined || expires_at === previous_expires_at) return [];
  return [{ type: 'ApiKeyExpiryChanged', data: { hash, expires_at, previous_expires_at } }];
}

function setField<Field extends SetField>(
  key: Key,
  field: Field,
  changes: Partial<Pick<Key, Field>>,
): KeyEvent[] {
  const value = changes[field];
  return value === undefined || value === key[field] ? [] : [EVENT_OF[field](key, value)];
}

function moveToWorkspace(
  key: Key,
  { workspace_id, disabled }: KeyChanges,
  workspaces?: WorkspaceFacts,
): KeyEvent[] {
  if (workspace_id === undefined) {
    if (disabled === false && !workspaces?.to) throw new Refusal('workspace-gone');
    return [];
  }
  if (!workspaces?.to) throw unknownWorkspace();
  if (workspace_id === key.workspace_id) return [];
  const { from, to } = workspaces;
  const missing = from.filter((wanted) => !to.restrictions.includes(wanted));
  if (missing.length > 0) {
    throw new Refusal('restrictions-incompatible', { missing_restrictions: missing });
  }
  if (!to.admitsCreator) throw new Refusal('creator-not-a-member');
  return [
    {
      type: 'ApiKeyMovedToWorkspace',
      data: {
        hash: key.hash,
        workspace_id,
        previous_workspace_id: key.workspace_id,
        moved_with_key: ['guardrails'],
        left_behind: ['presets', 'byok_keys', 'broadcast_destinations', 'routing_rules'],
      },
    },
  ];
}
