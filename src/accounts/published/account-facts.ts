import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import { account, accountStream, type AccountState } from '../domain/account.js';
import { lastRestrictions } from '../domain/gone-workspace.js';

/** A workspace as the log has it now. */
export interface PublishedWorkspace {
  readonly id: string;
  /** A text that is longer than a restriction may be now stands in its shortened form. */
  readonly restrictions: readonly string[];
  /** Whether a user may have keys in it (docs/api.md 2.5). */
  admits(userId: string): boolean;
}

/** An account as the log has it now. */
export interface PublishedAccount {
  readonly kind: 'organization' | 'individual';
  readonly defaultWorkspaceId: string;
  /** Whether a key is one of its management keys that was not revoked. */
  hasLiveManagementKey(hash: string): boolean;
  /** Whether a workspace of this id is one of its own and not deleted. */
  hasWorkspace(id: string): boolean;
}

/** What other features may ask of accounts when they decide. Read from the log, so never out of date. */
@Injectable()
export class AccountFacts {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  /**
   * Workspaces of an account, in the order of the ids.
   * An absent id asks for the default workspace. An id that is no workspace of the account gives undefined.
   */
  async workspaces(
    accountId: string,
    ids: readonly (string | undefined)[],
  ): Promise<(PublishedWorkspace | undefined)[]> {
    const state = await this.#load(accountId);
    if (state.status === 'none') return ids.map(() => undefined);
    return ids.map((id) => {
      const workspace = state.workspaces.get(id ?? state.defaultWorkspaceId);
      if (!workspace) return undefined;
      const open = workspace.is_default || state.kind === 'individual';
      return {
        id: workspace.id,
        restrictions: workspace.restrictions,
        admits: (userId) => open || workspace.members.has(userId),
      };
    });
  }

  /** The last restrictions of a workspace that is gone: a key may be left in it (ADR 22). */
  goneRestrictions(accountId: string, workspaceId: string): Promise<readonly string[]> {
    return this.runner.replay(lastRestrictions(workspaceId), {
      stream: accountStream(accountId),
      accountId,
    });
  }

  /** Null when there is no such account. */
  async account(accountId: string): Promise<PublishedAccount | null> {
    const state = await this.#load(accountId);
    if (state.status === 'none') return null;
    const { kind, defaultWorkspaceId, managementKeys, workspaces } = state;
    return {
      kind,
      defaultWorkspaceId,
      hasLiveManagementKey: (hash) => managementKeys.get(hash)?.revokedAt === null,
      hasWorkspace: (id) => workspaces.has(id),
    };
  }

  #load(accountId: string): Promise<AccountState> {
    return this.runner.load(account, accountStream(accountId), accountId);
  }
}
