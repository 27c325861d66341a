import type { Aggregate } from '../../kernel/aggregate.js';
import { type AccountEvent, accountEvents } from './account.events.js';
import { keptRestriction } from './kept-restriction.js';

/**
 * The last restrictions of a workspace, also of one that is gone.
 * An account does not remember them: it would grow with each workspace that a tenant makes and deletes.
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
