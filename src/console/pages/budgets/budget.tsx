import type { ComponentChildren } from 'preact';
import { useAnswer } from '../../api/use-answer.js';
import { ChangeDialog } from '../../parts/change-dialog.js';
import { Control } from '../../parts/control.js';
import { Facts } from '../../parts/facts.js';
import { usdText } from '../../parts/money.js';
import { Section } from '../../parts/section.js';
import { Empty, Show } from '../../parts/states.js';
import { Time } from '../../parts/times.js';
import { Limit } from '../keys/key-parts.js';
import { type Budget, type BudgetRoutes, readIfAny } from './budget-routes.js';
import { SetBudget } from './set-budget.js';

/**
 * A budget, with what is spent of it, and the controls that set and remove it.
 * @param mayBeSet whether the service takes one here; not for an end user who is not registered.
 */
export function BudgetSection({
  title = 'Budget',
  routes,
  none,
  mayBeSet = true,
}: {
  title?: string;
  routes: BudgetRoutes;
  /** What holds where there is no budget. */
  none: string;
  mayBeSet?: boolean;
}) {
  const loaded = useAnswer(title, (signal) => readIfAny(routes, signal));
  const budget = loaded.answer?.value.data;
  const own = budget?.is_common === true ? null : budget;
  // Also after a failure: the service may have stored the budget, and not know its usage.
  const thenReload = (close: () => void) => (): void => {
    close();
    loaded.reload();
  };
  const controls = mayBeSet && own !== undefined && (
    <>
      <Control title={own ? 'Change the budget' : 'Set a budget'}>
        {(close) => <SetBudget now={own} set={routes.set} onClose={thenReload(close)} />}
      </Control>
      {own && (
        <Control title="Remove the budget">
          {(close) => (
            <ChangeDialog
              title="Remove the budget?"
              action="Remove"
              send={routes.remove}
              onClose={thenReload(close)}
              isDangerous
            />
          )}
        </Control>
      )}
    </>
  );
  return (
    <Section title={title} actions={controls}>
      <Show loaded={loaded}>
        {({ data }) => (data ? <BudgetFacts of={data} /> : <Empty>{none}</Empty>)}
      </Show>
    </Section>
  );
}

/** The names of the current window of a budget. */
const WINDOWS = { daily: ' today', weekly: ' this week', monthly: ' this month' } as const;

function BudgetFacts({ of: budget }: { of: Budget }) {
  const { limit, limit_reset: reset, limit_remaining, usage, byok_usage: byok } = budget;
  const facts: [string, ComponentChildren][] = [
    [
      'Limit, USD',
      limit_remaining === undefined ? (
        usdText(limit)
      ) : (
        <Limit of={{ limit, limit_remaining, limit_reset: null }} />
      ),
    ],
    [
      'Resets',
      <>
        {reset ?? 'never'} {budget.resets_at && <Time at={budget.resets_at} />}
      </>,
    ],
    ['Includes BYOK', budget.include_byok_in_limit ? 'yes' : 'no'],
  ];
  const when = reset === null ? '' : WINDOWS[reset];
  if (usage !== undefined) facts.push([`Usage${when}, USD`, usdText(usage)]);
  if (byok !== undefined) facts.push([`BYOK${when}, USD`, usdText(byok)]);
  return (
    <>
      {budget.is_common && <p>The common budget holds: this end user has none of their own.</p>}
      <Facts of={facts} />
    </>
  );
}
