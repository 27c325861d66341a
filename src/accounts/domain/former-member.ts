import type { Aggregate } from '../../kernel/aggregate.js';
import { type AccountEvent, accountEvents } from './account.events.js';

/**
 * Whether a user was a member of an account whose membership ended. It is folded from the account's stream when it is asked:
 * an account that kept its former members would grow with each of them.
 */
export function formerMember(userId: string): Aggregate<boolean, AccountEvent> {
  return {
    events: accountEvents,
    initial: false,
    evolve: (was, { type, data }) => was || (type === 'MemberRemoved' && data.user_id === userId),
    sizeOf: () => 1,
  };
}
