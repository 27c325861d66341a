import { createHmac, timingSafeEqual } from 'node:crypto';

const SEAL_BYTES = 16;

/** The seal of the places of a list, so that each comes back unchanged, and to the same list. */
export interface Seal {
  /** Everything that the list depends on. */
  readonly list: readonly unknown[];
  /** The secret of the account, without which nobody can make or change a cursor. */
  readonly secret: string;
}

/** A place in the order of a list as callers carry it from page to page. */
export function sealed(place: string, seal: Seal): string {
  return Buffer.concat([sealOf(place, seal), Buffer.from(place)]).toString('base64url');
}

/** @returns the place of a cursor with this seal; undefined for every other text. */
export function unsealed(cursor: string, seal: Seal): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  // Several texts decode to the same bytes; only one of them was given out.
  if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== cursor) return undefined;
  const place = bytes.subarray(SEAL_BYTES).toString();
  const isSealed = timingSafeEqual(bytes.subarray(0, SEAL_BYTES), sealOf(place, seal));
  return isSealed ? place : undefined;
}

function sealOf(place: string, { list, secret }: Seal): Buffer {
  const named = JSON.stringify([place, ...list].map((value) => value ?? null));
  return createHmac('sha256', secret).update(named).digest().subarray(0, SEAL_BYTES);
}
