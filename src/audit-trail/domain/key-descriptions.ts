import type { KeyEvent } from '../../keys/domain/key.events.js';
import { changed, type Descriptions, set } from './description.js';

const target = ({ hash }: { readonly hash: string }): string => hash;

export const keyDescriptions: Descriptions<KeyEvent> = {
  ApiKeyCreated: {
    action: 'key.created',
    target,
    name: ({ name }) => name,
    // The audit trail never shows the hash of a lookup key.
    changes: ({ data: { hash: _, account_id: __, external, ...values } }) =>
      set({ ...values, external_user: external && { user: external.user } }),
  },
  ApiKeyRenamed: {
    action: 'key.renamed',
    target,
    name: ({ name }) => name,
    changes: ({ data: { previous_name, name } }) => changed('name', previous_name, name),
  },
  ApiKeyDisabled: {
    action: 'key.disabled',
    target,
    changes: () => changed('disabled', false, true),
  },
  ApiKeyEnabled: {
    action: 'key.enabled',
    target,
    changes: () => changed('disabled', true, false),
  },
  ApiKeyLimitChanged: {
    action: 'key.limit-changed',
    target,
    changes: ({ data: { previous_limit, limit } }) => changed('limit', previous_limit, limit),
  },
  ApiKeyLimitResetChanged: {
    action: 'key.limit-reset-changed',
    target,
    changes: ({ data: { previous_limit_reset, limit_reset } }) =>
      changed('limit_reset', previous_limit_reset, limit_reset),
  },
  ApiKeyByokInLimitChanged: {
    action: 'key.byok-in-limit-changed',
    target,
    // The event has the new value only. The old value of a flag is the opposite.
    changes: ({ data: { include_byok_in_limit: after } }) =>
      changed('include_byok_in_limit', !after, after),
  },
  ApiKeyMovedToWorkspace: {
    action: 'key.moved',
    target,
    changes: ({ data: { previous_workspace_id, workspace_id } }) =>
      changed('workspace_id', previous_workspace_id, workspace_id),
  },
  ApiKeyDeleted: {
    action: 'key.deleted',
    target,
    changes: () => changed('deleted', false, true),
  },
};
