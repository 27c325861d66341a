import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';
import type { Origin } from '../../kernel/metadata.js';
import { account, type AccountState } from '../accounts/domain/account.js';
import {
  removeCommonBudget,
  removeWorkspaceBudget,
  setCommonBudget,
  setWorkspaceBudget,
} from '../accounts/domain/budget.decisions.js';
import {
  endUser,
  endUserId,
  type EndUserState,
  removeEndUserBudget,
  setEndUserBudget,
} from '../end-users/domain/end-user.js';
import type { Budget } from './domain/budget.js';

/** Whose budget it is: a workspace's, an end user's, or that of all end users without their own. */
export type BudgetHolder =
  | { readonly kind: 'workspace' | 'end-user'; readonly id: string }
  | { readonly kind: 'end-users-in-common' };

/** Sets a budget, or removes it. Returns whether there was none before. */
export class ChangeBudget extends Command<boolean> {
  constructor(
    readonly accountId: string,
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

  async execute({ accountId, holder, budget, origin }: ChangeBudget): Promise<boolean> {
    let isNew = false;
    const noted = <Event extends BudgetEvent>(events: Event[]): Event[] => {
      isNew = events.some(({ data }) => data.previous_budget === null);
      return events;
    };
    const change = { accountId, origin };
    if (holder.kind === 'end-user') {
      const id = endUserId(accountId, holder.id);
      const decide = (state: EndUserState) =>
        noted(budget ? setEndUserBudget(state, budget) : removeEndUserBudget(state));
      await this.runner.run({ aggregate: endUser, id, decide, ...change });
    } else {
      const decide = (state: AccountState) => noted(changeInAccount(state, holder, budget));
      await this.runner.run({ aggregate: account, id: accountId, decide, ...change });
    }
    return isNew;
  }
}

function changeInAccount(state: AccountState, holder: BudgetHolder, budget: Budget | null) {
  if (holder.kind === 'end-users-in-common') {
    return budget ? setCommonBudget(state, budget) : removeCommonBudget(state);
  }
  return budget
    ? setWorkspaceBudget(state, holder.id, budget)
    : removeWorkspaceBudget(state, holder.id);
}
