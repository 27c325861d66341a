import type { Aggregate } from '../../kernel/aggregate.js';
import { type AccountEvent, accountEvents } from './account.events.js';
import { keptRestriction } from './kept-restriction.js';

/**
 * The last restrictions of a workspace, folded of its account's stream, also when it is gone. They are asked for seldom
 * (ADR 12), and an account that remembered them would grow with each workspace that a tenant makes and deletes.
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
