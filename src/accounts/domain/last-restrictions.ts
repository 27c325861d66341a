import type { Aggregate } from '../../kernel/aggregate.js';
import { type AccountEvent, accountEvents } from './account.events.js';
import { keptRestriction } from './kept-restriction.js';

/**
 * The last restrictions of a workspace, also of a deleted one. They are folded from the account's stream when they are
 * needed: an account that kept them would grow with each workspace that is created and deleted.
 */
export function lastRestrictions(workspaceId: string): Aggregate<readonly string[], AccountEvent> {
  return {
    events: accountEvents,
    initial: [],
    evolve(restrictions, { type, data }) {
      if (type !== 'WorkspaceCreated' && type !== 'WorkspaceRestricted') return restrictions;
      return data.workspace_id === workspaceId
        ? data.restrictions.map(keptRestriction)
        : restrictions;
    },
    sizeOf: () => 1,
  };
}
