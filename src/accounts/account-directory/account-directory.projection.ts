import type { DomainEvent, EventOf, Recorded } from '../../kernel/event.js';
import type { Change, DocumentRef, Lookup, Projection } from '../../projections/projection.js';
import {
  accountCreated,
  managementKeyCreated,
  managementKeyRevoked,
  workspaceCreated,
  workspaceRestricted,
} from '../domain/account.events.js';
import type { AccountKind } from '../domain/account.js';

const events = [
  accountCreated,
  workspaceCreated,
  workspaceRestricted,
  managementKeyCreated,
  managementKeyRevoked,
] as const;

type DirectoryEvent = EventOf<(typeof events)[number]>;

interface Listed extends Record<string, unknown> {
  /** Position of the event that made it: the order of every list. */
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

export interface WorkspaceDocument extends Listed {
  readonly workspace_id: string;
  readonly account_id: string;
  readonly name: string;
  readonly restrictions: readonly string[];
  readonly is_default: boolean;
}

export interface ManagementKeyDocument extends Listed {
  readonly hash: string;
  readonly account_id: string;
  readonly account_kind: AccountKind;
  readonly user_id: string;
  readonly name: string | null;
  readonly revoked_at: string | null;
}

/** Accounts, their workspaces and their management keys, each by its id and in order of creation. */
export const accountDirectory: Projection<DirectoryEvent> = {
  name: 'account-directory',
  version: 1,
  events,
  collections: {
    accounts: { indexes: { by_creation: ['created_position'] } },
    workspaces: { indexes: { by_account: ['account_id', 'created_position'] } },
    management_keys: { indexes: { by_account: ['account_id', 'created_position'] } },
  },
  touches,
  evolve,
};

function touches(event: Recorded<DirectoryEvent>): DocumentRef[] {
  switch (event.type) {
    case 'AccountCreated':
      return [{ collection: 'accounts', key: event.data.account_id }];
    case 'WorkspaceCreated':
    case 'WorkspaceRestricted':
      return [{ collection: 'workspaces', key: event.data.workspace_id }];
    case 'ManagementKeyCreated':
      return [
        { collection: 'accounts', key: event.data.account_id },
        { collection: 'management_keys', key: event.data.hash },
      ];
    case 'ManagementKeyRevoked':
      return [{ collection: 'management_keys', key: event.data.hash }];
  }
}

function evolve(lookup: Lookup, event: Recorded<DirectoryEvent>): Change[] {
  const listed = created(event);
  switch (event.type) {
    case 'AccountCreated': {
      const document: AccountDocument = { ...event.data, ...listed };
      return [{ collection: 'accounts', key: event.data.account_id, document }];
    }
    case 'WorkspaceCreated': {
      const document: WorkspaceDocument = { ...event.data, ...listed };
      return [{ collection: 'workspaces', key: event.data.workspace_id, document }];
    }
    case 'WorkspaceRestricted': {
      const { workspace_id: key, restrictions } = event.data;
      const before = lookup('workspaces', key);
      return before
        ? [{ collection: 'workspaces', key, document: { ...before, restrictions } }]
        : [];
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
  }
}

function created(event: Recorded<DomainEvent>): Listed {
  return { created_position: event.position, created_at: event.metadata.occurred_at };
}
