/** The quotas of each account (docs/api.md 2.9). */
export interface Quotas {
  readonly workspaces: number;
  readonly managementKeys: number;
  readonly members: number;
  /** The number of memberships in all workspaces of the account together. */
  readonly workspaceMembers: number;
  readonly apiKeys: number;
}

/** The limits of connections (docs/api.md 1.6). Times are in milliseconds. */
export interface ConnectionLimits {
  readonly inAll: number;
  /** The maximum number of connections from one address, unless the address is a trusted proxy. */
  readonly ofAddress: number;
  readonly headersMs: number;
  readonly bodyMs: number;
  /** How long a client may read nothing of an answer before the service closes the connection. */
  readonly unreadMs: number;
  /** How long a connection without a request stays open. */
  readonly keepAliveMs: number;
}
