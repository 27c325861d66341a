import type { Foldable } from '../../../kernel/aggregate.js';
import { type AccountEvent, accountEvents } from './account.events.js';

/**
 * Returns a fold to the last restrictions of a workspace, deleted or not. The caller folds the
 * account's stream on demand: a state with all deleted workspaces would grow with each deletion.
 */
export function lastRestrictions(workspaceId: string): Foldable<readonly string[], AccountEvent> {
  return {
    events: accountEvents,
    initial: [],
    evolve(restrictions, { type, data }) {
      if (type !== 'WorkspaceCreated' && type !== 'WorkspaceRestricted') return restrictions;
      return data.workspace_id === workspaceId ? data.restrictions : restrictions;
    },
  };
}
