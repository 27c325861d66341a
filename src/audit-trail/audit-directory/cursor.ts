import { createHmac, timingSafeEqual } from 'node:crypto';
import { orderIn, spelledOut } from '../domain/order.js';
import type { EventFilter } from './event-filter.js';

const SEAL_BYTES = 16;

/** What a cursor is good for: the pages of one filter in one account. */
export interface CursorScope {
  readonly accountId: string;
  readonly filter: EventFilter;
  /** Of the account; whoever does not know it cannot make or change a cursor. */
  readonly secret: string;
}

/** A place in the order of events as callers carry it from page to page, sealed so that it comes back unchanged. */
export function cursorAt(order: string, scope: CursorScope): string {
  const spelled = spelledOut(order);
  return Buffer.concat([sealOf(spelled, scope), Buffer.from(spelled)]).toString('base64url');
}

/** The place that a cursor of this scope tells; undefined for whatever else a caller may send. */
export function placeOf(cursor: string, scope: CursorScope): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  // Several texts decode to the same bytes; only one of them was given out.
  if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== cursor) return undefined;
  const spelled = bytes.subarray(SEAL_BYTES).toString();
  const sealed = timingSafeEqual(bytes.subarray(0, SEAL_BYTES), sealOf(spelled, scope));
  return sealed ? orderIn(spelled) : undefined;
}

function sealOf(spelled: string, { accountId, filter, secret }: CursorScope): Buffer {
  const { actions, actor, target, from, to } = filter;
  const anyOrder = actions && [...new Set(actions)].sort();
  const sealed = [spelled, accountId, anyOrder, actor, target?.type, target?.id, from, to];
  const named = JSON.stringify(sealed.map((value) => value ?? null));
  return createHmac('sha256', secret).update(named).digest().subarray(0, SEAL_BYTES);
}
