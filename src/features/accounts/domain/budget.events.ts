import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';
import { budget } from '../../budgets/domain/budget.js';

const previous_budget = budget.nullable();

export const workspaceBudgetEvents = [
  defineEvent(
    'WorkspaceBudgetSet',
    z.object({ workspace_id: z.string(), budget, previous_budget }),
  ),
  defineEvent(
    'WorkspaceBudgetRemoved',
    z.object({ workspace_id: z.string(), previous_budget: budget }),
  ),
] as const;

export type WorkspaceBudgetEvent = EventOf<(typeof workspaceBudgetEvents)[number]>;

/** The events that change budgets, which no record shows. */
export const accountBudgetEvents = [
  ...workspaceBudgetEvents,
  defineEvent(
    'AccountEndUserBudgetSet',
    z.object({ account_id: z.string(), budget, previous_budget }),
  ),
  defineEvent(
    'AccountEndUserBudgetRemoved',
    z.object({ account_id: z.string(), previous_budget: budget }),
  ),
] as const;

export type AccountBudgetEvent = EventOf<(typeof accountBudgetEvents)[number]>;
