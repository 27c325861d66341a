import { createHmac, timingSafeEqual } from 'node:crypto';
import { isOrder } from '../domain/order.js';
import type { EventFilter } from './event-filter.js';

const SEAL_BYTES = 16;

/** The pages for which a cursor is good: those of one filter in one account. */
export interface CursorScope {
  readonly accountId: string;
  readonly filter: EventFilter;
  /** The secret of the account, without which nobody can make or change a cursor. */
  readonly secret: string;
}

/** A place in the order of events as callers carry it from page to page, sealed so that it comes back unchanged. */
export function cursorAt(order: string, scope: CursorScope): string {
  return Buffer.concat([sealOf(order, scope), Buffer.from(order)]).toString('base64url');
}

/** @returns the place of a cursor of this scope; undefined for every other text, also for a cursor of an earlier release. */
export function placeOf(cursor: string, scope: CursorScope): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  // Several texts decode to the same bytes; only one of them was given out.
  if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== cursor) return undefined;
  const order = bytes.subarray(SEAL_BYTES).toString();
  const isSealed = timingSafeEqual(bytes.subarray(0, SEAL_BYTES), sealOf(order, scope));
  return isSealed && isOrder(order) ? order : undefined;
}

function sealOf(order: string, { accountId, filter, secret }: CursorScope): Buffer {
  const { actions, actor, target, from, to } = filter;
  const anyOrder = actions && [...new Set(actions)].sort();
  const sealed = [order, accountId, anyOrder, actor, target?.type, target?.id, from, to];
  const named = JSON.stringify(sealed.map((value) => value ?? null));
  return createHmac('sha256', secret).update(named).digest().subarray(0, SEAL_BYTES);
}
