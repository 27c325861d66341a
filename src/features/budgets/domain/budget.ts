import { z } from 'zod';
import { Refusal } from '../../../kernel/errors.js';
import { LIMIT_RESETS } from '../../../kernel/limit-reset.js';

/** A budget as events have it. Its fields count as those of a key do (docs/api.md 3.5). */
const budget = z.object({
  /** In USD. */
  limit: z.number().nonnegative(),
  /** Null for a limit that never resets. */
  limit_reset: z.enum(LIMIT_RESETS).nullable(),
  include_byok_in_limit: z.boolean(),
});

export type Budget = Readonly<z.infer<typeof budget>>;

/** The fields of events that set and remove budgets. */
export const budgetSet = { budget, previous_budget: budget.nullable() };
export const budgetRemoved = { previous_budget: budget };

type BudgetSet = Readonly<z.infer<z.ZodObject<typeof budgetSet>>>;
type BudgetRemoved = Readonly<z.infer<z.ZodObject<typeof budgetRemoved>>>;

/**
 * Decides a change of a budget to another one, or to null, which removes it.
 * @returns the fields of the event; null for none, because the budget stays the same.
 * @throws Refusal where there is no budget to remove.
 */
export function budgetChange(
  before: Budget | null,
  budget: Budget | null,
): BudgetSet | BudgetRemoved | null {
  if (budget === null) return { previous_budget: requireBudget(before) };
  return isSameBudget(before, budget) ? null : { budget, previous_budget: before };
}

function isSameBudget(one: Budget | null, other: Budget): boolean {
  return (
    one !== null &&
    one.limit === other.limit &&
    one.limit_reset === other.limit_reset &&
    one.include_byok_in_limit === other.include_byok_in_limit
  );
}

/** The holder of a budget. One in common holds for each end user who has none of their own. */
export type BudgetHolder =
  | { readonly kind: 'workspace'; readonly accountId: string; readonly idOrSlug: string }
  | { readonly kind: 'end-user'; readonly accountId: string; readonly user: string }
  | { readonly kind: 'end-users-in-common'; readonly accountId: string };

/** Returns a budget that there is. @throws Refusal when there is none. */
export function requireBudget(found: Budget | null): Budget {
  if (!found) throw new Refusal('no-budget');
  return found;
}
