import { useAnswer } from '../../api/use-answer.js';
import { Section } from '../../frame/page.js';
import { Change } from '../../parts/change.js';
import { Facts } from '../../parts/facts.js';
import { LimitFields, noNumber } from '../../parts/fields.js';
import { usdText } from '../../parts/money.js';
import { Show } from '../../parts/states.js';
import { Time } from '../../parts/times.js';
import { Limit } from '../keys/key-parts.js';
import type { Budget, BudgetFields, BudgetRoutes } from './budget-routes.js';

type Changed = Partial<Omit<BudgetFields, 'limit'>> & { readonly limit?: number | null };

/**
 * A budget, with what is spent of it, and the controls that set and remove it.
 * @param mayBeSet whether the service takes one here; not for an end user who is not registered.
 */
export function BudgetSection(props: {
  title?: string;
  routes: BudgetRoutes;
  /** What holds where there is no budget. */
  none: string;
  mayBeSet?: boolean;
}) {
  const { title = 'Budget', routes, none, mayBeSet = true } = props;
  const loaded = useAnswer(title, routes.read);
  const { answer } = loaded;
  const budget = answer?.value?.data;
  const own = budget?.is_common ? undefined : budget;
  /** The service takes a budget as a whole. */
  async function set({ limit = own?.limit, ...changed }: Changed): Promise<void> {
    const { limit_reset = null, include_byok_in_limit = false } = { ...own, ...changed };
    if (typeof limit !== 'number') throw noNumber('limit');
    await routes.set({ limit, limit_reset, include_byok_in_limit });
  }
  const controls = mayBeSet && answer && (
    <>
      <Change
        title={own ? 'Change the budget' : 'Set a budget'}
        question="Set a budget"
        action="Set the budget"
        before={own}
        send={set}
      >
        <p>What was spent before counts too.</p>
        <LimitFields />
      </Change>
      {own && (
        <Change
          title="Remove the budget"
          question="Remove the budget?"
          action="Remove"
          send={routes.remove}
          isDangerous
        />
      )}
    </>
  );
  return (
    <Section title={title} actions={controls}>
      <Show loaded={loaded}>
        {(found) => (found ? <BudgetFacts of={found.data} /> : <p class="none">{none}</p>)}
      </Show>
    </Section>
  );
}

/** The names of the current window of a budget. */
const WINDOWS = { daily: ' today', weekly: ' this week', monthly: ' this month' } as const;

function BudgetFacts({ of: budget }: { of: Budget }) {
  const { limit, limit_reset: reset, limit_remaining, usage, byok_usage: byok } = budget;
  const when = reset === null ? '' : WINDOWS[reset];
  const left = limit_remaining !== undefined && { limit, limit_remaining, limit_reset: null };
  return (
    <>
      {budget.is_common && <p>The common budget holds: this end user has none of their own.</p>}
      <Facts
        of={[
          ['Limit, USD', left ? <Limit of={left} /> : usdText(limit)],
          [
            'Resets',
            <>
              {reset ?? 'never'} {budget.resets_at && <Time at={budget.resets_at} />}
            </>,
          ],
          ['Includes BYOK', budget.include_byok_in_limit ? 'yes' : 'no'],
          usage !== undefined && [`Usage${when}, USD`, usdText(usage)],
          byok !== undefined && [`BYOK${when}, USD`, usdText(byok)],
        ]}
      />
    </>
  );
}
