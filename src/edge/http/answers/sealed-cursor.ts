import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../../kernel/errors.js';
import type { Caller } from '../callers/caller.js';

const SEAL_BYTES = 16;
const WRONG_CURSOR = 'must be the next_cursor of an earlier page with the same filter';

/** The pages for which a cursor is valid. */
export interface CursorScope {
  readonly list: 'activity' | 'audit-events' | 'events';
  readonly caller: Pick<Caller, 'accountId' | 'cursorSecret'>;
  /** The filter of the pages. A list whose places carry the filter leaves it out. */
  readonly filter?: object;
}

/** Returns the cursor for a place in a list. Its seal keeps others from making or changing one. */
export function sealCursor(place: string, scope: CursorScope): string {
  return Buffer.concat([sealOf(place, scope), Buffer.from(place)]).toString('base64url');
}

/** Returns the place of a cursor. @throws Refusal when no page of the scope returned the cursor. */
export function unsealCursor(cursor: string, scope: CursorScope): string {
  const place = placeIn(cursor, scope);
  if (place !== undefined) return place;
  throw new Refusal('request-invalid', { issues: [{ path: 'cursor', message: WRONG_CURSOR }] });
}

/** Returns the place of a cursor; undefined when no page of the scope returned the cursor. */
export function placeIn(cursor: string, scope: CursorScope): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const place = bytes.subarray(SEAL_BYTES).toString();
  // Several strings decode to the same bytes, but `sealCursor` returned only one of them.
  const isWhole = bytes.length > SEAL_BYTES && bytes.toString('base64url') === cursor;
  const isSealed = isWhole && timingSafeEqual(bytes.subarray(0, SEAL_BYTES), sealOf(place, scope));
  return isSealed ? place : undefined;
}

function sealOf(place: string, { list, caller, filter = {} }: CursorScope): Buffer {
  const sealed = JSON.stringify([list, caller.accountId, filter, place]);
  return createHmac('sha256', caller.cursorSecret).update(sealed).digest().subarray(0, SEAL_BYTES);
}
