import type { AccountEvent } from '../../accounts/domain/account.events.js';
import type { WorkspaceEvent } from '../../accounts/domain/workspace.events.js';
import { changed, type Descriptions, set } from './description.js';
import { workspaceDescriptions } from './workspace-descriptions.js';

type OwnEvent = Exclude<AccountEvent, WorkspaceEvent>;

const ownDescriptions: Descriptions<OwnEvent> = {
  AccountCreated: {
    action: 'account.created',
    target: ({ account_id }) => account_id,
    name: ({ name }) => name,
    changes: ({ data: { account_id: _, ...values } }) => set(values),
  },
  MemberAdded: {
    action: 'member.added',
    target: ({ user_id }) => user_id,
    changes: ({ data: { user_id } }) => set({ user_id }),
  },
  MemberRemoved: {
    action: 'member.removed',
    target: ({ user_id }) => user_id,
    changes: ({ data: { user_id } }) => changed('user_id', user_id, null),
  },
  ManagementKeyCreated: {
    action: 'management-key.created',
    target: ({ hash }) => hash,
    name: ({ name }) => name,
    changes: ({ data: { name, user_id } }) => set({ name, user_id }),
  },
  ManagementKeyRevoked: {
    action: 'management-key.revoked',
    target: ({ hash }) => hash,
    changes: ({ metadata }) => changed('revoked_at', null, metadata.occurred_at),
  },
};

export const accountDescriptions: Descriptions<AccountEvent> = {
  ...ownDescriptions,
  ...workspaceDescriptions,
};
