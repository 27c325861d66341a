import type { Response } from 'express';
import { Refusal } from '../kernel/errors.js';
import type { Caller } from './caller.js';
import type { PagingQuery } from './paging.js';
import { type Seal, sealed, unsealed } from './sealed-place.js';

/** The maximum length of a linked address, in characters. By default, proxies accept 4 KiB for all answer headers. */
const LONGEST_ADDRESS = 2048;

/** A validated request for a list whose pages are linked. */
export interface ListRequest {
  /** The name of the list, such as `keys`. */
  readonly list: string;
  readonly caller: Pick<Caller, 'accountId' | 'cursorSecret'>;
  /** The query parameters of the request. */
  readonly query: PagingQuery;
}

/** Returns the place in a request's cursor; undefined without cursor. @throws Refusal for a cursor of another list. */
export function placeAsked(request: ListRequest): string | undefined {
  const { cursor } = request.query;
  if (cursor === undefined) return undefined;
  const place = unsealed(cursor, sealOf(request));
  if (place !== undefined) return place;
  const message = 'must be that of the Link of an earlier page with the same filters';
  throw new Refusal('request-invalid', { issues: [{ path: 'cursor', message }] });
}

/**
 * Sets the `Link` of an answer to the next page (docs/api.md 6.4). The linked address is only a query string, because a
 * proxy may have changed host and path. An address that is too long omits the filters, and the client adds the filters.
 * @param next the place of the last record of the answer; null when no more records follow.
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

/** Returns the parameters that select the records of a list, sorted by name. */
function filtersOf({ query }: ListRequest): [name: string, value: string][] {
  const { offset: _offset, limit: _limit, cursor: _cursor, ...filters } = query;
  return Object.entries<string>(filters).sort(([a], [b]) => (a < b ? -1 : 1));
}

function sealOf(request: ListRequest): Seal {
  const { list, caller } = request;
  return { list: [list, caller.accountId, filtersOf(request)], secret: caller.cursorSecret };
}
