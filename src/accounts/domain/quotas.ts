import { type Quota, quotaExceeded } from '../../kernel/errors.js';
import type { OpenAccount } from './account.js';

/** How much of each an account may have. An account keeps what it has beyond a quota that was lowered. */
export interface AccountQuotas {
  /** The default workspace is one of them. */
  readonly workspaces: number;
  /** Management keys that are not revoked. */
  readonly managementKeys: number;
  readonly members: number;
  /** Memberships of all workspaces together, without those of the default one. */
  readonly workspaceMembers: number;
}

export const ACCOUNT_QUOTAS = Symbol('AccountQuotas');

/** The slug of each quota, and how much of it an account has used. */
const QUOTAS: {
  readonly [Name in keyof AccountQuotas]: {
    readonly quota: Quota;
    readonly used: (account: OpenAccount) => number;
  };
} = {
  workspaces: { quota: 'workspaces', used: ({ workspaces }) => workspaces.size },
  managementKeys: {
    quota: 'management-keys',
    used: ({ managementKeys }) => managementKeys.count(({ revokedAt }) => revokedAt === null),
  },
  members: { quota: 'members', used: ({ members }) => members.size },
  workspaceMembers: {
    quota: 'workspace-members',
    used: ({ workspaces }) => workspaces.reduce((sum, { members }) => sum + members.size, 0),
  },
};

/**
 * The events that a decision adds, each of which uses one of a quota. It is the last rule of a decision (docs/api.md 2.9).
 * @throws Refusal when the account may not have so many more.
 */
export function withinQuota<Event>(
  account: OpenAccount,
  added: Event[],
  name: keyof AccountQuotas,
  { [name]: limit }: AccountQuotas,
): Event[] {
  const { quota, used } = QUOTAS[name];
  if (added.length > 0 && used(account) + added.length > limit) throw quotaExceeded(quota, limit);
  return added;
}
