/** The quotas of each account (docs/api.md 2.9). */
export interface Quotas {
  readonly workspaces: number;
  readonly managementKeys: number;
  readonly members: number;
  /** The number of memberships in all workspaces of the account together. */
  readonly workspaceMembers: number;
  readonly apiKeys: number;
}
