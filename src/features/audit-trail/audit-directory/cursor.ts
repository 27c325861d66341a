import { type Seal, sealed, unsealed } from '../../../edge/http/answers/sealed-place.js';
import type { EventFilter } from './event-filter.js';

/** The pages for which a cursor is valid: the pages of one filter in one account. */
export interface CursorScope {
  readonly accountId: string;
  readonly filter: EventFilter;
  /** The secret of the account, without which nobody can make or change a cursor. */
  readonly secret: string;
}

/** Returns the cursor for a place in the order of events. The cursor has a seal, which reveals changes by callers. */
export function cursorAt(order: string, scope: CursorScope): string {
  return sealed(order, sealOf(scope));
}

/** Returns the place in a cursor of this scope; undefined for other strings. */
export function placeOf(cursor: string, scope: CursorScope): string | undefined {
  return unsealed(cursor, sealOf(scope));
}

function sealOf({ accountId, filter, secret }: CursorScope): Seal {
  const { actions, actor, target, from, to } = filter;
  const anyOrder = actions && [...new Set(actions)].sort();
  return { list: [accountId, anyOrder, actor, target?.type, target?.id, from, to], secret };
}
