import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';
import type { Origin } from '../../kernel/metadata.js';
import { account, type AccountState, requireAccount } from '../accounts/domain/account.js';
import { changeCommonBudget, changeWorkspaceBudget } from '../accounts/domain/budget.decisions.js';
import { requireWorkspace } from '../accounts/domain/workspace.decisions.js';
import {
  changeEndUserBudget,
  endUser,
  endUserId,
  type EndUserState,
  endUserStream,
} from '../end-users/domain/end-user.js';
import type { Subject } from '../keys/domain/limit.js';
import type { Budget, BudgetHolder } from './domain/budget.js';

interface ChangedBudget {
  /** Null for the common budget. */
  readonly subject: Subject | null;
  /** Whether there was no budget before. */
  readonly isNew: boolean;
}

export class ChangeBudget extends Command<ChangedBudget> {
  constructor(
    readonly holder: BudgetHolder,
    /** Null removes the budget. */
    readonly budget: Budget | null,
    readonly origin: Origin,
  ) {
    super();
  }
}

interface BudgetEvent {
  readonly data: { readonly previous_budget: Budget | null };
}

@CommandHandler(ChangeBudget)
export class ChangeBudgetHandler implements ICommandHandler<ChangeBudget> {
  constructor(@Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner) {}

  async execute({ holder, budget, origin }: ChangeBudget): Promise<ChangedBudget> {
    const { accountId } = holder;
    let isNew = false;
    const noted = <Event extends BudgetEvent>(events: Event[]): Event[] => {
      isNew = events.some(({ data }) => data.previous_budget === null);
      return events;
    };
    if (holder.kind === 'end-user') {
      const id = endUserId(accountId, holder.user);
      const decide = (state: EndUserState) => noted(changeEndUserBudget(state, budget));
      await this.runner.run({ aggregate: endUser, id, accountId, origin, decide });
      return { isNew, subject: endUserStream(id) };
    }
    const decide = (state: AccountState) =>
      holder.kind === 'workspace'
        ? noted(changeWorkspaceBudget(state, holder.idOrSlug, budget))
        : noted(changeCommonBudget(state, budget));
    const change = { aggregate: account, id: accountId, accountId, origin, decide };
    const { state } = await this.runner.run(change);
    if (holder.kind === 'end-users-in-common') return { isNew, subject: null };
    return { isNew, subject: requireWorkspace(requireAccount(state), holder.idOrSlug).id };
  }
}
