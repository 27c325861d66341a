import { Failure } from '../../api/failure.js';
import { ChangeDialog } from '../../parts/change-dialog.js';
import { useFields } from '../../parts/fields.js';
import { numberOf } from '../../parts/form.js';
import { LimitFields, resetOf } from '../../parts/limit-fields.js';
import { plainDecimal } from '../../parts/money.js';
import type { BudgetFields } from './budget-routes.js';

/** Sets a budget. The service takes it as a whole, so all three fields are sent. */
export function SetBudget({
  now,
  set,
  onClose,
}: {
  now: BudgetFields | null | undefined;
  set: (budget: BudgetFields) => Promise<unknown>;
  onClose: () => void;
}) {
  const { values, field } = useFields({
    limit: now ? plainDecimal(now.limit) : '',
    limit_reset: now?.limit_reset ?? '',
    include_byok_in_limit: now?.include_byok_in_limit ?? false,
  });

  async function send(): Promise<void> {
    const limit = numberOf(values.limit, 'limit');
    if (limit === null) {
      const issues = [{ path: 'limit', message: 'must be a number, such as 25 or 0.5' }];
      throw new Failure('A budget needs a limit.', { issues });
    }
    await set({ ...values, limit, limit_reset: resetOf(values.limit_reset) });
  }

  return (
    <ChangeDialog title="Set a budget" action="Set the budget" send={send} onClose={onClose}>
      <p>What was spent before counts too.</p>
      <LimitFields
        limit={field('limit')}
        reset={field('limit_reset')}
        byok={field('include_byok_in_limit')}
      />
    </ChangeDialog>
  );
}
