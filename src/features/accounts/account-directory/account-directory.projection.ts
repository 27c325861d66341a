import type { AccountKind } from '../../../kernel/account-kind.js';
import type { Recorded } from '../../../kernel/event.js';
import type { Documents, Projection } from '../../../event-sourcing/projections/projection.js';
import { type AccountRecordEvent, accountRecordEvents } from '../domain/account.events.js';
import { type ManagementKeyRecord, newKeyRecord } from '../domain/management-key.js';
import { recordChanges, newRecord, type WorkspaceRecord } from '../domain/workspace.js';

interface Listed {
  /** The position of the event that created the object. Every list is in order of this position. */
  readonly created_position: string;
  readonly created_at: string;
}

export interface AccountDocument extends Listed {
  readonly account_id: string;
  readonly kind: AccountKind;
  readonly name: string;
  readonly owner_user_id: string;
  readonly default_workspace_id: string;
}

export interface WorkspaceDocument extends Listed, WorkspaceRecord {
  readonly account_id: string;
}

export interface MemberDocument {
  /** The id of the account or the workspace that the user is a member of. */
  readonly member_of: string;
  readonly user_id: string;
  /** The position of the event by which the user joined. Every list is in this order. */
  readonly joined_position: string;
}

export interface ManagementKeyDocument extends Listed, ManagementKeyRecord {
  readonly account_id: string;
  readonly is_revoked: boolean;
}

export interface AccountCollections {
  readonly accounts: AccountDocument;
  readonly members: MemberDocument;
  readonly workspaces: WorkspaceDocument;
  readonly management_keys: ManagementKeyDocument;
}

/** A document for each account, member, workspace and management key, in order of creation. */
export const accountDirectory: Projection<AccountRecordEvent, AccountCollections> = {
  name: 'account-directory',
  version: 5,
  events: accountRecordEvents,
  collections: {
    members: { indexes: { by_joining: ['member_of', 'joined_position'] } },
    workspaces: {
      indexes: {
        by_account: ['account_id', 'created_position'],
        by_slug: ['account_id', 'slug'],
      },
    },
    management_keys: {
      indexes: {
        by_account: ['account_id', 'created_position'],
        by_revocation: ['account_id', 'is_revoked', 'created_position'],
      },
    },
    accounts: { indexes: { by_creation: ['created_position'] } },
  },
  evolve,
};

function evolve(
  documents: Documents<AccountCollections>,
  event: Recorded<AccountRecordEvent>,
): void {
  switch (event.type) {
    case 'AccountCreated': {
      const account: AccountDocument = { ...event.data, ...creationOf(event) };
      documents.create('accounts', event.data.account_id, account);
      return;
    }
    case 'MemberAdded':
      addMemberDocument(documents, 'accounts', event.data.account_id, event);
      return;
    case 'WorkspaceMemberAdded':
      addMemberDocument(documents, 'workspaces', event.data.workspace_id, event);
      return;
    case 'MemberRemoved':
      documents.remove('members', memberKey(event.data.account_id, event.data.user_id));
      return;
    case 'WorkspaceMemberRemoved':
      documents.remove('members', memberKey(event.data.workspace_id, event.data.user_id));
      return;
    case 'WorkspaceCreated': {
      const { account_id } = event.data;
      if (!documents.get('accounts', account_id)) return;
      const record = newRecord(event);
      const workspace: WorkspaceDocument = { ...creationOf(event), ...record, account_id };
      documents.create('workspaces', record.id, workspace);
      return;
    }
    case 'WorkspaceRenamed':
    case 'WorkspaceSlugChanged':
    case 'WorkspaceDescriptionChanged':
    case 'WorkspaceRestricted': {
      const { workspace_id } = event.data;
      const before = documents.get('workspaces', workspace_id);
      if (before) {
        documents.set('workspaces', workspace_id, { ...before, ...recordChanges(event) });
      }
      return;
    }
    case 'WorkspaceDeleted':
      documents.remove('workspaces', event.data.workspace_id);
      return;
    case 'ManagementKeyCreated': {
      if (!documents.get('accounts', event.data.account_id)) return;
      const { account_id } = event.data;
      const record = newKeyRecord(event);
      const key = { ...record, ...creationOf(event), account_id, is_revoked: false };
      documents.create('management_keys', event.data.hash, key);
      return;
    }
    case 'ManagementKeyRevoked': {
      const { hash } = event.data;
      const before = documents.get('management_keys', hash);
      const revoked_at = event.metadata.occurred_at;
      if (before) {
        documents.set('management_keys', hash, { ...before, revoked_at, is_revoked: true });
      }
      return;
    }
    default:
      return event satisfies never;
  }
}

function creationOf(event: Recorded<AccountRecordEvent>): Listed {
  return { created_position: event.position, created_at: event.metadata.occurred_at };
}

type MemberAdded = Extract<
  Recorded<AccountRecordEvent>,
  { type: 'MemberAdded' | 'WorkspaceMemberAdded' }
>;

function addMemberDocument(
  documents: Documents<AccountCollections>,
  collection: 'accounts' | 'workspaces',
  memberOf: string,
  { position, data: { user_id } }: MemberAdded,
): void {
  if (!documents.get(collection, memberOf)) return;
  const member: MemberDocument = { member_of: memberOf, user_id, joined_position: position };
  documents.create('members', memberKey(memberOf, user_id), member);
}

/** Returns the key of a member's document: unique, because its first part is always a UUID. */
function memberKey(memberOf: string, userId: string): string {
  return `${memberOf}/${userId}`;
}
