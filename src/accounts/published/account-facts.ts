import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import { UndecidedDeletions } from '../delete-workspace/undecided-deletions.js';
import { account, accountStream } from '../domain/account.js';
import { lastRestrictions } from '../domain/gone-workspace.js';

/** A workspace as the log has it now. */
export interface PublishedWorkspace {
  readonly id: string;
  /** Of a text longer than restrictions may be, a shortened form that is its own. */
  readonly restrictions: readonly string[];
  /**
   * Whether a user may have keys in it: a member of it may; in a default workspace and in an individual
   * account everybody may (docs/api.md 2.5).
   */
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
  constructor(
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(UndecidedDeletions) private readonly deletions: UndecidedDeletions,
  ) {}

  /**
   * Workspaces of an account, in the order asked for; an absent id asks for the default workspace,
   * and an id that is no workspace of the account gives undefined. Waits while one of them is being deleted, so
   * that a key that was put into one before the call is safe there, or the workspace is gone (ADR 12).
   */
  async workspaces(
    accountId: string,
    ids: readonly (string | undefined)[],
  ): Promise<(PublishedWorkspace | undefined)[]> {
    const named = ids.filter((id) => id !== undefined);
    const state = await this.deletions.decided(accountId, named);
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

  /** What a workspace that is gone demanded of its keys. A key may have been left in it (ADR 12). */
  goneRestrictions(accountId: string, workspaceId: string): Promise<readonly string[]> {
    return this.runner.replay(lastRestrictions(workspaceId), {
      stream: accountStream(accountId),
      accountId,
    });
  }

  /** Null when there is no such account. */
  async account(accountId: string): Promise<PublishedAccount | null> {
    const state = await this.runner.load(account, accountStream(accountId), accountId);
    if (state.status === 'none') return null;
    const { kind, defaultWorkspaceId, managementKeys, workspaces } = state;
    return {
      kind,
      defaultWorkspaceId,
      hasLiveManagementKey: (hash) => managementKeys.get(hash)?.revokedAt === null,
      hasWorkspace: (id) => workspaces.has(id),
    };
  }
}
