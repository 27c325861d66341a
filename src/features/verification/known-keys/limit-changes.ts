import type { RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import type { AccountBudgetEvent } from '../../accounts/domain/budget.events.js';
import type { EndUserEvent } from '../../end-users/domain/end-user.events.js';
import type { KeyEvent } from '../../keys/domain/key.events.js';
import type { SpentTowardLimits } from '../../keys/published/spent-toward-limits.port.js';
import type { EndUserMemory } from './end-user-memory.js';
import type { KnownKeys } from './known-keys.js';

type LimitEvent =
  | AccountBudgetEvent
  | Extract<EndUserEvent, { type: 'EndUserBudgetSet' | 'EndUserBudgetRemoved' }>
  | Extract<
      KeyEvent,
      { type: 'ApiKeyLimitChanged' | 'ApiKeyLimitResetChanged' | 'ApiKeyByokInLimitChanged' }
    >;

type LimitChanges = Pick<SpentTowardLimits, 'limitChanged' | 'commonLimitChanged'>;

/** Says which limit an event changed, if it changed one. */
export function noteLimitChange(
  { stream, type, data }: Pick<RecordedEvent, 'stream' | 'type' | 'data'>,
  spending: LimitChanges,
  users: Pick<EndUserMemory, 'isWithoutBudget'>,
  keys: Pick<KnownKeys, 'commonBudgetOf'>,
): void {
  const event = { type, data } as LimitEvent;
  switch (event.type) {
    case 'ApiKeyLimitChanged':
    case 'ApiKeyLimitResetChanged':
    case 'ApiKeyByokInLimitChanged':
      spending.limitChanged(event.data.hash, event.data);
      return;
    case 'WorkspaceBudgetSet':
      spending.limitChanged(event.data.workspace_id, event.data.budget);
      return;
    case 'WorkspaceBudgetRemoved':
      spending.limitChanged(event.data.workspace_id, { limit: null });
      return;
    case 'EndUserBudgetSet':
      spending.limitChanged(stream, event.data.budget);
      return;
    case 'EndUserBudgetRemoved': {
      const common = keys.commonBudgetOf(event.data.organization_id);
      spending.limitChanged(stream, common ?? { limit: null });
      return;
    }
    case 'AccountEndUserBudgetSet':
    case 'AccountEndUserBudgetRemoved': {
      const budget = event.type === 'AccountEndUserBudgetSet' ? event.data.budget : null;
      const isWithoutOwn = (user: string) => users.isWithoutBudget(user);
      spending.commonLimitChanged(event.data.account_id, budget, isWithoutOwn);
    }
  }
}
