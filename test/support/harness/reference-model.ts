/**
 * The rules of the service in their simplest form. Tests compare the answers of the service with
 * them.
 */
export interface ModelWorkspace {
  readonly id: string;
  readonly isDefault: boolean;
  readonly createdBy: string | null;
  name: string;
  slug: string;
  description: string | null;
  restrictions: readonly string[];
  /** Whether a field changed after the creation. */
  isChanged: boolean;
  readonly members: Set<string>;
}

export interface ModelEndUser {
  readonly user: string;
  isActive: boolean;
}

export interface ModelAccount {
  readonly id: string;
  readonly kind: 'organization' | 'individual';
  readonly owner: string;
  readonly members: Set<string>;
  /** The default workspace is the first. */
  workspaces: ModelWorkspace[];
  /** In the order of registration. */
  readonly endUsers: ModelEndUser[];
  /** In the order of creation, including deleted ones. */
  readonly keys: ModelKey[];
}

/** The fields of a key that a caller chooses. */
export interface ModelKeyFields {
  name: string;
  disabled: boolean;
  limit: number | null;
  limit_reset: string | null;
  include_byok_in_limit: boolean;
  workspace_id: string;
}

export interface ModelKey {
  readonly account: ModelAccount;
  readonly hash: string;
  readonly createdAt: string;
  updatedAt: string | null;
  readonly creator: string;
  readonly externalUser: string | null;
  expiresAt: string | null;
  fields: ModelKeyFields;
  isDeleted: boolean;
}

export type ModelRefusal = 400 | 403 | 404 | 409;

export function workspaceOf(account: ModelAccount, id: string): ModelWorkspace | undefined {
  return account.workspaces.find((workspace) => workspace.id === id);
}

/** Changes fields of a workspace. An equal value is no change. */
export function changeWorkspace(workspace: ModelWorkspace, fields: object): void {
  const asText = (): string =>
    JSON.stringify({ ...workspace, restrictions: [...workspace.restrictions].sort() });
  const before = asText();
  Object.assign(workspace, fields);
  if (asText() !== before) workspace.isChanged = true;
}

/** Gives the first rule that an update of a key by an account breaks; null for none. */
export function refusalOfUpdate(
  key: ModelKey | undefined,
  caller: ModelAccount,
  workspaceId: string | undefined,
): { readonly status: ModelRefusal; readonly missing?: readonly string[] } | null {
  if (key?.account !== caller || key.isDeleted) return { status: 404 };
  if (workspaceId === undefined) return null;
  const target = workspaceOf(caller, workspaceId);
  if (!target) return { status: 400 };
  if (target.id === key.fields.workspace_id) return null;
  const carried = workspaceOf(caller, key.fields.workspace_id)?.restrictions ?? [];
  const missing = carried.filter((restriction) => !target.restrictions.includes(restriction));
  if (missing.length > 0) return { status: 403, missing };
  const open = caller.kind === 'individual' || target.isDefault;
  return open || target.members.has(key.creator) ? null : { status: 409 };
}

/**
 * The changes that an operator makes. Each gives the codes of the broken rules, and takes effect if
 * there are none.
 */
export const operatorRules = {
  addMember: (account: ModelAccount, user: string): string[] => [
    ...(account.kind === 'individual' ? ['account-is-individual'] : []),
    ...(account.members.has(user) ? ['member-already-added'] : []),
  ],
  removeMember: (account: ModelAccount, user: string): string[] => [
    ...(account.members.has(user) ? [] : ['member-unknown']),
    ...(account.owner === user ? ['owner-not-removable'] : []),
  ],
};

/** Removes a member from an account and from its workspaces. */
export function forgetMember(account: ModelAccount, user: string): void {
  account.members.delete(user);
  for (const { members } of account.workspaces) members.delete(user);
}
