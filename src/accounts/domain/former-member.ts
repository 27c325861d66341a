import type { Aggregate } from '../../kernel/aggregate.js';
import { type AccountEvent, accountEvents } from './account.events.js';

/**
 * Returns an aggregate whose state says whether a user was ever removed from an account. The caller folds the stream of
 * the account on demand, because an account state with all former members would grow with each removal.
 */
export function formerMember(userId: string): Aggregate<boolean, AccountEvent> {
  return {
    events: accountEvents,
    initial: false,
    evolve: (was, { type, data }) => was || (type === 'MemberRemoved' && data.user_id === userId),
    sizeOf: () => 1,
  };
}
