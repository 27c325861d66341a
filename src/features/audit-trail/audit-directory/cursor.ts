import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EventFilter } from './event-filter.js';

const SEAL_BYTES = 16;

/** The pages for which a cursor is valid: the pages of one filter in one account. */
export interface CursorScope {
  readonly accountId: string;
  readonly filter: EventFilter;
  /** The secret of the account, without which nobody can make or change a cursor. */
  readonly secret: string;
}

/** Returns the cursor for a place in the order of events. The cursor has a seal, which reveals changes by callers. */
export function cursorAt(order: string, scope: CursorScope): string {
  return Buffer.concat([sealOf(order, scope), Buffer.from(order)]).toString('base64url');
}

export function placeOf(cursor: string, scope: CursorScope): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  // Several strings decode to the same bytes, but `cursorAt` returned only one of them.
  if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== cursor) return undefined;
  const order = bytes.subarray(SEAL_BYTES).toString();
  const isSealed = timingSafeEqual(bytes.subarray(0, SEAL_BYTES), sealOf(order, scope));
  return isSealed ? order : undefined;
}

function sealOf(order: string, { accountId, filter, secret }: CursorScope): Buffer {
  const { actions, actor, target, from, to } = filter;
  const anyOrder = actions && [...new Set(actions)].sort();
  const list = [order, accountId, anyOrder, actor, target?.type, target?.id, from, to];
  const sealed = JSON.stringify(list.map((value) => value ?? null));
  return createHmac('sha256', secret).update(sealed).digest().subarray(0, SEAL_BYTES);
}
