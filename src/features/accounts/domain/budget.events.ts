import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';
import { budgetRemoved, budgetSet } from '../../budgets/domain/budget.js';

/** The events that change budgets, which no record shows. */
export const accountBudgetEvents = [
  defineEvent('WorkspaceBudgetSet', z.object({ workspace_id: z.string(), ...budgetSet })),
  defineEvent('WorkspaceBudgetRemoved', z.object({ workspace_id: z.string(), ...budgetRemoved })),
  defineEvent('AccountEndUserBudgetSet', z.object({ account_id: z.string(), ...budgetSet })),
  defineEvent(
    'AccountEndUserBudgetRemoved',
    z.object({ account_id: z.string(), ...budgetRemoved }),
  ),
] as const;

export type AccountBudgetEvent = EventOf<(typeof accountBudgetEvents)[number]>;

export type WorkspaceBudgetEvent = Extract<AccountBudgetEvent, { type: `Workspace${string}` }>;
