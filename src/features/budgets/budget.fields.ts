import { ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import { Flag, ShownTime, UsdAmount } from '../../edge/http/fields/field-decorators.js';
import { BodySchema, ChangeableFields } from '../../edge/http/fields/mapped-fields.js';
import { KeyShape } from '../keys/key.fields.js';
import type { Budget } from './domain/budget.js';

/** A budget as callers set it (docs/api.md 15.1). Its fields mean what those of a key mean. */
@ApiSchema({ name: 'Budget' })
export class BudgetShape extends PickType(KeyShape, ['limit_reset', 'include_byok_in_limit']) {
  @UsdAmount('Spending limit in USD.')
  readonly limit!: number;
}

/** A budget with what was spent (docs/api.md 15.1). */
@ApiSchema({ name: 'SpentBudget' })
export class SpentBudgetShape extends BudgetShape {
  @UsdAmount('USD that remain until the limit is reached.')
  readonly limit_remaining!: number;

  @UsdAmount('Usage in the current window, in USD.')
  readonly usage!: number;

  @UsdAmount('BYOK usage in the current window, in USD.')
  readonly byok_usage!: number;

  @ShownTime('End of the window; null for a limit that never resets.', { nullable: true })
  readonly resets_at!: string | null;
}

/** The budget that holds for an end user, with what was spent (docs/api.md 15.1). */
@ApiSchema({ name: 'EndUserBudget' })
export class EndUserBudgetShape extends SpentBudgetShape {
  @Flag('Whether it is the budget of every end user without one of their own.')
  readonly is_common!: boolean;
}

/** The body that sets a budget (docs/api.md 15.1). Unknown fields are refused. */
@BodySchema({ additionalProperties: false, example: { limit: 100, limit_reset: 'monthly' } })
export class SetBudgetRequest extends IntersectionType(
  PickType(BudgetShape, ['limit']),
  ChangeableFields(BudgetShape, ['limit_reset', 'include_byok_in_limit']),
) {}

export function budgetIn(request: SetBudgetRequest): Budget {
  const { limit, limit_reset = null, include_byok_in_limit = false } = request;
  return { limit, limit_reset, include_byok_in_limit };
}
