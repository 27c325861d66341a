import { quotaExceeded, type Quota } from '../../kernel/errors.js';
import type { AccountEvent } from './account.events.js';
import type { AccountState, OpenAccount } from './account.js';

/** How much of each an account may have. What it had before a quota was lowered stays. */
export interface AccountQuotas {
  /** The default workspace is one of them. */
  readonly workspaces: number;
  /** Revoked ones do not count. */
  readonly managementKeys: number;
  readonly members: number;
  /** Memberships of all workspaces together, but for the default one, whose members are those of the account. */
  readonly workspaceMembers: number;
}

/** What counts against a quota: the event that adds to it, the limit, and how much of it an account has. */
interface Counted {
  readonly quota: Quota;
  readonly type: AccountEvent['type'];
  readonly limit: (quotas: AccountQuotas) => number;
  readonly held: (account: OpenAccount) => number;
}

const COUNTED: readonly Counted[] = [
  {
    quota: 'workspaces',
    type: 'WorkspaceCreated',
    limit: ({ workspaces }) => workspaces,
    held: ({ workspaces }) => workspaces.size,
  },
  {
    quota: 'management-keys',
    type: 'ManagementKeyCreated',
    limit: ({ managementKeys }) => managementKeys,
    held: ({ managementKeys }) => managementKeys.count(({ revokedAt }) => revokedAt === null),
  },
  {
    quota: 'members',
    type: 'MemberAdded',
    limit: ({ members }) => members,
    held: ({ members }) => members.size,
  },
  {
    quota: 'workspace-members',
    type: 'WorkspaceMemberAdded',
    limit: ({ workspaceMembers }) => workspaceMembers,
    held: ({ workspaces }) => workspaces.reduce((sum, { members }) => sum + members.size, 0),
  },
];

/**
 * The events of a decision on an account that is open, if the account may have what they add: the last question of each
 * decision (docs/api.md 2.9).
 * @throws Refusal when a quota would be exceeded.
 */
export function withinQuotas(
  state: AccountState,
  events: readonly AccountEvent[],
  quotas: AccountQuotas,
): readonly AccountEvent[] {
  if (state.status === 'none') return events;
  for (const { quota, type, limit, held } of COUNTED) {
    const added = events.filter((event) => event.type === type).length;
    if (added > 0 && held(state) + added > limit(quotas)) throw quotaExceeded(quota, limit(quotas));
  }
  return events;
}
