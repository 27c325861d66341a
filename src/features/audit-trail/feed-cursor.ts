import { isDeepStrictEqual } from 'node:util';
import { placeIn, sealCursor } from '../../edge/http/answers/sealed-cursor.js';
import type { Caller } from '../../edge/http/callers/caller.js';
import { Refusal } from '../../kernel/errors.js';
import { BEGINNING } from './audit-directory/event-feed.js';
import type { ReadEventsRequest } from './audit-event.fields.js';

/** The value of `after` for the last event. It is too short for a cursor. */
export const LATEST = 'latest';

const DIFFERS = 'must be that of the cursor, or be left out';

const FILTERS = ['action', 'actor', 'target_type', 'target_id'] as const;

type Filters = Pick<ReadEventsRequest, (typeof FILTERS)[number]>;

/** The filters of a reader of the feed, and the place that the reader has reached. */
export interface FeedCursor {
  readonly filters: Filters;
  readonly after: string;
}

export function sealFeedCursor(cursor: FeedCursor, caller: Caller): string {
  return sealCursor(JSON.stringify(cursor), { list: 'events', caller });
}

/**
 * Returns the cursor that a query continues, or the filters of the query at the beginning.
 * @throws Refusal when the service made no such cursor for the account, or for other filters.
 */
export function feedCursorOf(query: ReadEventsRequest, caller: Caller): FeedCursor {
  const { action, actor, target_type, target_id } = query;
  const actions = action && [...new Set([action].flat())].sort();
  const filters: Filters = {
    ...(actions && { action: actions }),
    ...(actor !== undefined && { actor }),
    ...(target_type && { target_type }),
    ...(target_id !== undefined && { target_id }),
  };
  if (query.after === undefined || query.after === LATEST) return { filters, after: BEGINNING };
  const place = placeIn(query.after, { list: 'events', caller });
  if (place === undefined) throw new Refusal('cursor-unknown');
  const cursor = JSON.parse(place) as FeedCursor;
  const differing = FILTERS.filter(
    (name) => name in filters && !isDeepStrictEqual(filters[name], cursor.filters[name]),
  );
  if (differing.length === 0) return cursor;
  const issues = differing.map((path) => ({ path, message: DIFFERS }));
  throw new Refusal('request-invalid', { issues });
}
