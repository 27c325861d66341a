import type { RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import type { AccountBudgetEvent } from '../../accounts/domain/budget.events.js';
import type { EndUserBudgetEvent } from '../../end-users/domain/end-user.events.js';
import type { KeyEvent } from '../../keys/domain/key.events.js';
import type { LimitChanges } from '../../keys/published/spent-toward-limits.port.js';
import type { EndUserMemory } from './end-user-memory.js';
import { budgetIn } from './known-budgets.js';
import type { KnownKeys } from './known-keys.js';

type LimitEvent =
  | AccountBudgetEvent
  | EndUserBudgetEvent
  | Extract<KeyEvent, { type: `ApiKey${'Limit' | 'LimitReset' | 'ByokInLimit'}Changed` }>;

const NO_LIMIT = { limit: null };

/** Says which limit an event changed, if it changed one. */
export function noteLimitChange(
  { stream, type, data }: Pick<RecordedEvent, 'stream' | 'type' | 'data'>,
  limits: LimitChanges,
  users: Pick<EndUserMemory, 'isWithoutBudget'>,
  keys: Pick<KnownKeys, 'commonBudgetOf'>,
): void {
  const event = { type, data } as LimitEvent;
  switch (event.type) {
    case 'ApiKeyLimitChanged':
    case 'ApiKeyLimitResetChanged':
    case 'ApiKeyByokInLimitChanged':
      limits.limitChanged(event.data.hash, event.data);
      break;
    case 'WorkspaceBudgetSet':
    case 'WorkspaceBudgetRemoved':
      limits.limitChanged(event.data.workspace_id, budgetIn(event) ?? NO_LIMIT);
      break;
    case 'EndUserBudgetSet':
    case 'EndUserBudgetRemoved': {
      const common = keys.commonBudgetOf(event.data.organization_id);
      limits.limitChanged(stream, budgetIn(event) ?? common ?? NO_LIMIT);
      break;
    }
    case 'AccountEndUserBudgetSet':
    case 'AccountEndUserBudgetRemoved':
      limits.commonLimitChanged(event.data.account_id, budgetIn(event) ?? NO_LIMIT, (user) =>
        users.isWithoutBudget(user),
      );
  }
}
