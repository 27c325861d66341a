import { type Quota, quotaExceeded } from '../../kernel/errors.js';
import type { OpenAccount } from './account.js';

/** How much an account may have. When a quota is lowered, the account keeps the excess. */
export interface AccountQuotas {
  /** All workspaces, with the default one. */
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
    used: ({ managementKeys }) => managementKeys.count(({ revoked_at }) => revoked_at === null),
  },
  members: { quota: 'members', used: ({ members }) => members.size },
  workspaceMembers: {
    quota: 'workspace-members',
    used: ({ workspaces }) => workspaces.reduce((sum, { members }) => sum + members.size, 0),
  },
};

/**
 * Gives the events back when the account may have what they add. It is the last rule of a decision (docs/api.md 2.9).
 * @param added events of which each adds one thing.
 * @throws Refusal when the quota would be exceeded.
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
