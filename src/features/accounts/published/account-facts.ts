import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { account, accountStream, type OpenAccount } from '../domain/account.js';
import { FIRST_ACCOUNT_ID, firstManagementKey } from '../domain/first-account.js';
import { lastRestrictions } from '../domain/restrictions-of-a-deleted-workspace.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';

/** A workspace, read from the stream of its account and therefore up to date. */
export interface PublishedWorkspace {
  readonly id: string;
  readonly restrictions: readonly string[];
  /** Whether a user may have keys in the workspace (docs/api.md 2.5). */
  admits(userId: string): boolean;
}

/** An account, with the workspace that is never deleted. */
export interface AccountWithDefault {
  readonly accountId: string;
  readonly defaultWorkspaceId: string;
}

/** Facts about accounts for decisions of other features: read from the log, never out of date. */
@Injectable()
export class AccountFacts {
  constructor(@Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner) {}

  /** Returns a workspace of an account, without an id the default one; undefined if unknown. */
  async workspace(accountId: string, id?: string): Promise<PublishedWorkspace | undefined> {
    const found = await this.account(accountId);
    return found ? publishedWorkspace(found, id ?? found.default_workspace_id) : undefined;
  }

  async workspaces(
    accountId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, PublishedWorkspace>> {
    const found = await this.account(accountId);
    const workspaces = new Map<string, PublishedWorkspace>();
    for (const id of ids) {
      const workspace = found ? publishedWorkspace(found, id) : undefined;
      if (workspace) workspaces.set(id, workspace);
    }
    return workspaces;
  }

  /**
   * Returns those of some workspaces that an account still has. The default workspace is never
   * deleted, so the log is not read for that one alone.
   */
  async liveWorkspaces(
    { accountId, defaultWorkspaceId }: AccountWithDefault,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (ids.every((id) => id === defaultWorkspaceId)) return new Set(ids);
    const found = await this.account(accountId);
    return new Set(ids.filter((id) => found?.workspaces.has(id)));
  }

  /** Returns the last restrictions of a deleted workspace, in which a key may be left (ADR 22). */
  restrictionsOfDeleted(accountId: string, workspaceId: string): Promise<readonly string[]> {
    return this.runner.replay(lastRestrictions(workspaceId), accountStream(accountId), accountId);
  }

  /**
   * Returns the hash of the management key that the first start gave to the first account; null
   * when there was none.
   */
  bootstrapKeyHash(): Promise<string | null> {
    return this.runner.replay(
      firstManagementKey,
      accountStream(FIRST_ACCOUNT_ID),
      FIRST_ACCOUNT_ID,
    );
  }

  async account(accountId: string): Promise<OpenAccount | null> {
    const state = await this.runner.load(account, accountId, accountId);
    return state.status === 'none' ? null : state;
  }
}

function publishedWorkspace(
  { kind, workspaces }: OpenAccount,
  workspaceId: string,
): PublishedWorkspace | undefined {
  const workspace = workspaces.get(workspaceId);
  if (!workspace) return undefined;
  const isOpen = workspace.is_default || kind === 'individual';
  return {
    id: workspace.id,
    restrictions: workspace.restrictions,
    admits: (userId) => isOpen || workspace.members.has(userId),
  };
}
