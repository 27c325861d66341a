import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/metadata.js';
import { account, accountStream, type AccountState } from '../domain/account.js';
import type { Deletion } from '../domain/workspace.js';
import { DELETION_DECIDED_WITHIN_MS, decideDeletion } from '../domain/workspace-deletion.js';

const LOOK_EVERY_MS = 10;

const ORIGIN: Origin = {
  actor: { type: 'system', id: 'abandoned-deletion', user_id: null },
  requestId: null,
};

/** Lets others wait until it is decided whether workspaces go or stay (ADR 12). */
@Injectable()
export class UndecidedDeletions {
  constructor(
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** An account as the log has it now or later, at a point at which none of these workspaces is being deleted. */
  async decided(accountId: string, workspaceIds: readonly string[]): Promise<AccountState> {
    const patience = performance.now() + DELETION_DECIDED_WITHIN_MS;
    for (;;) {
      const state = await this.runner.load(account, accountStream(accountId), accountId);
      if (state.status === 'none') return state;
      const undecided = workspaceIds
        .map((id) => state.workspaces.get(id))
        .find((workspace) => workspace?.deletion);
      if (!undecided?.deletion) return state;
      if (this.#isAbandoned(undecided.deletion) || performance.now() > patience) {
        await this.#cancel(accountId, undecided.id, undecided.deletion);
      } else await delay(LOOK_EVERY_MS);
    }
  }

  /** Whoever started it has died, or is so slow that the deletion is not decided by what it found out. */
  #isAbandoned({ startedAt }: Deletion): boolean {
    return this.clock.now().getTime() - Date.parse(startedAt) > DELETION_DECIDED_WITHIN_MS;
  }

  async #cancel(accountId: string, workspaceId: string, { id }: Deletion): Promise<void> {
    await this.runner.run({
      aggregate: account,
      stream: accountStream(accountId),
      accountId,
      origin: ORIGIN,
      decide: (state) => decideDeletion(state, { workspaceId, deletionId: id }, false),
    });
  }
}
