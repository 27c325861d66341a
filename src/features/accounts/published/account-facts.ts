import { Injectable } from '@nestjs/common';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { account, accountStream, type OpenAccount } from '../domain/account.js';
import { lastRestrictions } from '../domain/last-restrictions.js';

/** A workspace, read from the stream of its account and therefore up to date. */
export interface PublishedWorkspace {
  readonly id: string;
  readonly restrictions: readonly string[];
  /** Whether a user may have keys in the workspace (docs/api.md 2.5). */
  admits(userId: string): boolean;
}

/** The facts about accounts that decisions of other features need, read from the log and so never out of date. */
@Injectable()
export class AccountFacts {
  constructor(private readonly runner: DecisionRunner) {}

  /**
   * Returns workspaces of an account, in the order of the ids. An undefined id means the default workspace.
   * For an id that is no workspace of the account, the result has undefined in the place of the id.
   */
  async workspaces(
    accountId: string,
    ids: readonly (string | undefined)[],
  ): Promise<(PublishedWorkspace | undefined)[]> {
    const found = await this.account(accountId);
    return ids.map((id) => {
      const workspace = found?.workspaces.get(id ?? found.default_workspace_id);
      if (!workspace) return undefined;
      const open = workspace.is_default || found?.kind === 'individual';
      return {
        id: workspace.id,
        restrictions: workspace.restrictions,
        admits: (userId) => open || workspace.members.has(userId),
      };
    });
  }

  /** Returns the last restrictions of a deleted workspace, in which a key may be left (ADR 22). */
  goneRestrictions(accountId: string, workspaceId: string): Promise<readonly string[]> {
    return this.runner.replay(lastRestrictions(workspaceId), accountStream(accountId), accountId);
  }

  async account(accountId: string): Promise<OpenAccount | null> {
    const state = await this.runner.load(account, accountId, accountId);
    return state.status === 'none' ? null : state;
  }
}

export function hasLiveManagementKey({ managementKeys }: OpenAccount, hash: string): boolean {
  return managementKeys.get(hash)?.revoked_at === null;
}
