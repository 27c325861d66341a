import type { Foldable } from '../../../kernel/aggregate.js';
import { type AccountEvent, accountEvents } from './account.events.js';

/** The id of the first account, the same in all replicas, so that only one creates it (ADR 3). */
export const FIRST_ACCOUNT_ID = '00000000-0000-4000-8000-000000000001';

/** The hash of the management key that an account began with; null for an account that does not. */
export const firstManagementKey: Foldable<string | null, AccountEvent> = {
  events: accountEvents,
  initial: null,
  evolve: (first, event) =>
    first ?? (event.type === 'ManagementKeyCreated' ? event.data.hash : null),
};
