import type { Response } from 'express';
import { Refusal } from '../kernel/errors.js';
import type { Caller } from './caller.js';
import type { PagingQuery } from './paging.js';
import { type Seal, sealed, unsealed } from './sealed-place.js';

/** Proxies hold all headers of an answer in 4 KiB, as they are set up by default. */
const LONGEST_ADDRESS = 2048;

/** A validated request for a list whose pages are linked. */
export interface ListRequest {
  /** A word for the list. */
  readonly list: string;
  readonly caller: Pick<Caller, 'accountId' | 'cursorSecret'>;
  /** The parameters that were given. */
  readonly query: PagingQuery;
}

/** The place that the cursor of a request names; undefined without a cursor. @throws Refusal for a cursor of another list. */
export function placeAsked(request: ListRequest): string | undefined {
  const { cursor } = request.query;
  if (cursor === undefined) return undefined;
  const place = unsealed(cursor, sealOf(request));
  if (place !== undefined) return place;
  const message = 'must be that of the Link of an earlier page with the same filters';
  throw new Refusal('request-invalid', { issues: [{ path: 'cursor', message }] });
}

/**
 * Links an answer to the page behind it (docs/api.md 6.4). The address is a query alone, which is relative to the address of
 * the request: it is right whatever a proxy made of host and path. Filters that make it too long are left to the client.
 * @param next the place of the last record of the answer; null when no more follow.
 */
export function setNextLink(response: Response, request: ListRequest, next: string | null): void {
  if (next === null) return;
  const { limit } = request.query;
  const filters = filtersOf(request);
  const size = limit === undefined ? '' : `limit=${encodeURIComponent(limit)}&`;
  const place = `${size}cursor=${sealed(next, sealOf(request))}`;
  const whole = filters.length === 0 ? place : `${String(new URLSearchParams(filters))}&${place}`;
  const address = whole.length < LONGEST_ADDRESS ? whole : place;
  response.setHeader('Link', `<?${address}>; rel="next"`);
}

/** The parameters that say which records a list has, in the order of their names. */
function filtersOf({ query }: ListRequest): [name: string, value: string][] {
  const { offset: _offset, limit: _limit, cursor: _cursor, ...filters } = query;
  return Object.entries<string>(filters).sort(([a], [b]) => (a < b ? -1 : 1));
}

function sealOf(request: ListRequest): Seal {
  const { list, caller } = request;
  return { list: [list, caller.accountId, filtersOf(request)], secret: caller.cursorSecret };
}
