import { type Quota, quotaExceeded } from '../../../kernel/errors.js';
import type { OpenAccount } from './account.js';

/** The most objects of each kind in an account. After a quota is lowered, existing objects stay. */
export interface AccountQuotas {
  /** The number of workspaces, including the default workspace. */
  readonly workspaces: number;
  /** The number of management keys that are neither revoked nor expired. */
  readonly managementKeys: number;
  readonly members: number;
  /** The number of memberships in all workspaces together, except in the default workspace. */
  readonly workspaceMembers: number;
}

export const ACCOUNT_QUOTAS = Symbol('AccountQuotas');

/** The name of each quota in answers, and the function that counts what an account has used. */
const QUOTAS: {
  readonly [Name in keyof AccountQuotas]: {
    readonly quota: Quota;
    readonly used: (account: OpenAccount) => number;
  };
} = {
  workspaces: { quota: 'workspaces', used: ({ workspaces }) => workspaces.size },
  managementKeys: {
    quota: 'management-keys',
    used: ({ managementKeys }) => managementKeys.size,
  },
  members: { quota: 'members', used: ({ members }) => members.size },
  workspaceMembers: {
    quota: 'workspace-members',
    used: ({ workspaces }) => workspaces.reduce((sum, { members }) => sum + members.size, 0),
  },
};

/**
 * Returns `added` if the account stays within a quota, which is checked last (docs/api.md 2.9).
 * @param added events, each of which adds one object.
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
