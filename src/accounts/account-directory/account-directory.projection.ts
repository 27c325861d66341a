import type { Recorded } from '../../kernel/event.js';
import type { Change, DocumentRef, Lookup, Projection } from '../../projections/projection.js';
import { type AccountEvent, accountEvents } from '../domain/account.events.js';
import type { AccountKind } from '../domain/account.js';
import { changedRecord, newRecord, type WorkspaceRecord } from '../domain/workspace.js';

interface Listed extends Record<string, unknown> {
  /** Position of the event that created it: the order of every list. */
  readonly created_position: string;
  readonly created_at: string;
}

export interface AccountDocument extends Listed {
  readonly account_id: string;
  readonly kind: AccountKind;
  readonly name: string;
  readonly owner_user_id: string;
  readonly default_workspace_id: string;
  readonly member_count: number;
  readonly workspace_count: number;
}

export interface WorkspaceDocument extends Listed, WorkspaceRecord {
  readonly account_id: string;
  readonly created_at: string;
  /** Zero for the default workspace: its members are counted in the account. */
  readonly member_count: number;
}

/** A membership of an account or of a workspace. */
export interface MemberDocument extends Record<string, unknown> {
  /** The id of the account or of the workspace. */
  readonly member_of: string;
  readonly user_id: string;
  /** Position of the event by which the user joined: the order of every list. */
  readonly joined_position: string;
}

export interface ManagementKeyDocument extends Listed {
  readonly hash: string;
  readonly account_id: string;
  readonly account_kind: AccountKind;
  readonly user_id: string;
  readonly name: string | null;
  readonly revoked_at: string | null;
}

/**
 * Accounts, members, workspaces and management keys, each by its id and in the order of creation.
 *
 * A member can leave and join again. A removed document has no position, so the document with its count says whether an
 * event was folded before.
 */
export const accountDirectory: Projection<AccountEvent> = {
  name: 'account-directory',
  version: 2,
  events: accountEvents,
  collections: {
    members: { indexes: { by_joining: ['member_of', 'joined_position'] } },
    workspaces: {
      indexes: {
        by_account: ['account_id', 'created_position'],
        by_slug: ['account_id', 'slug'],
      },
    },
    management_keys: { indexes: { by_account: ['account_id', 'created_position'] } },
    accounts: { indexes: { by_creation: ['created_position'] } },
  },
  touches,
  creates,
  alsoTouches,
  evolve,
};

function touches(event: Recorded<AccountEvent>): DocumentRef[] {
  switch (event.type) {
    case 'AccountCreated':
    case 'MemberAdded':
    case 'MemberRemoved':
    case 'WorkspaceCreated':
    case 'WorkspaceDeleted':
      return [accountRef(event.data.account_id)];
    case 'WorkspaceRenamed':
    case 'WorkspaceSlugChanged':
    case 'WorkspaceDescriptionChanged':
    case 'WorkspaceRestricted':
    case 'WorkspaceMemberAdded':
    case 'WorkspaceMemberRemoved':
      return [workspaceRef(event.data.workspace_id)];
    case 'ManagementKeyCreated':
      return [
        { collection: 'accounts', key: event.data.account_id },
        { collection: 'management_keys', key: event.data.hash },
      ];
    case 'ManagementKeyRevoked':
      return [{ collection: 'management_keys', key: event.data.hash }];
    case 'WorkspaceDeletionStarted':
    case 'WorkspaceDeletionCancelled':
      return [];
  }
}

function creates(event: Recorded<AccountEvent>): DocumentRef[] {
  if (event.type !== 'WorkspaceCreated') return [];
  return [workspaceRef(event.data.workspace_id)];
}

function alsoTouches(_: Lookup, { type, data }: Recorded<AccountEvent>): DocumentRef[] {
  if (type === 'WorkspaceDeleted') return [workspaceRef(data.workspace_id)];
  if (type === 'MemberAdded' || type === 'MemberRemoved') {
    return [memberRef(data.account_id, data.user_id)];
  }
  if (type === 'WorkspaceMemberAdded' || type === 'WorkspaceMemberRemoved') {
    return [memberRef(data.workspace_id, data.user_id)];
  }
  return [];
}

function evolve(lookup: Lookup, event: Recorded<AccountEvent>): Change[] {
  const listed = created(event);
  switch (event.type) {
    case 'AccountCreated': {
      const counts = { member_count: 0, workspace_count: 0 };
      const document: AccountDocument = { ...event.data, ...listed, ...counts };
      return [{ collection: 'accounts', key: event.data.account_id, document }];
    }
    case 'MemberAdded':
    case 'MemberRemoved': {
      const { account_id } = event.data;
      return counted(lookup, accountRef(account_id), 'member_count', member(account_id, event));
    }
    case 'WorkspaceCreated': {
      const { account_id } = event.data;
      const record = newRecord(event);
      const document: WorkspaceDocument = { ...listed, ...record, account_id, member_count: 0 };
      const change = { ...workspaceRef(record.id), document };
      return counted(lookup, accountRef(account_id), 'workspace_count', change);
    }
    case 'WorkspaceRenamed':
    case 'WorkspaceSlugChanged':
    case 'WorkspaceDescriptionChanged':
    case 'WorkspaceRestricted': {
      const { workspace_id: key } = event.data;
      const before = lookup('workspaces', key);
      const document = { ...before, ...changedRecord(event) };
      return before ? [{ collection: 'workspaces', key, document }] : [];
    }
    case 'WorkspaceMemberAdded':
    case 'WorkspaceMemberRemoved': {
      const { workspace_id } = event.data;
      const change = member(workspace_id, event);
      return counted(lookup, workspaceRef(workspace_id), 'member_count', change);
    }
    case 'WorkspaceDeleted': {
      const { account_id, workspace_id } = event.data;
      const change = { ...workspaceRef(workspace_id), document: null };
      return counted(lookup, accountRef(account_id), 'workspace_count', change);
    }
    case 'ManagementKeyCreated': {
      const account = lookup('accounts', event.data.account_id) as AccountDocument | undefined;
      if (!account) return [];
      const document: ManagementKeyDocument = {
        ...event.data,
        ...listed,
        account_kind: account.kind,
        revoked_at: null,
      };
      return [{ collection: 'management_keys', key: event.data.hash, document }];
    }
    case 'ManagementKeyRevoked': {
      const { hash: key } = event.data;
      const before = lookup('management_keys', key);
      if (!before) return [];
      const document = { ...before, revoked_at: event.metadata.occurred_at };
      return [{ collection: 'management_keys', key, document }];
    }
    case 'WorkspaceDeletionStarted':
    case 'WorkspaceDeletionCancelled':
      return [];
  }
}

function created(event: Recorded<AccountEvent>): Listed {
  return { created_position: event.position, created_at: event.metadata.occurred_at };
}

/** A change together with the count of such documents. Neither is made when the counting document does not exist. */
function counted(lookup: Lookup, counter: DocumentRef, count: string, change: Change): Change[] {
  const before = lookup(counter.collection, counter.key);
  if (!before) return [];
  const after = Number(before[count]) + (change.document ? 1 : -1);
  return [change, { ...counter, document: { ...before, [count]: after } }];
}

type Membership = Extract<
  Recorded<AccountEvent>,
  { type: 'MemberAdded' | 'MemberRemoved' | 'WorkspaceMemberAdded' | 'WorkspaceMemberRemoved' }
>;

function member(member_of: string, { type, data, position }: Membership): Change {
  const { user_id } = data;
  const joined = type === 'MemberAdded' || type === 'WorkspaceMemberAdded';
  const document: MemberDocument = { member_of, user_id, joined_position: position };
  return { ...memberRef(member_of, user_id), document: joined ? document : null };
}

function accountRef(key: string): DocumentRef {
  return { collection: 'accounts', key };
}

function workspaceRef(key: string): DocumentRef {
  return { collection: 'workspaces', key };
}

/** @param memberOf the id of an account or a workspace: a UUID, so that no two members share a key. */
function memberRef(memberOf: string, userId: string): DocumentRef {
  return { collection: 'members', key: `${memberOf}/${userId}` };
}
