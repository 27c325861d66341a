import { createHmac, timingSafeEqual } from 'node:crypto';

const SEAL_BYTES = 16;

/** The inputs of a seal. The seal proves that the place in a cursor is unchanged and belongs to the list. */
export interface Seal {
  /** The values that identify the list, such as its account and filters. */
  readonly list: readonly unknown[];
  /** The secret of the account, without which nobody can make or change a cursor. */
  readonly secret: string;
}

/** Returns a cursor: a place in the order of a list, with its seal. Callers send the cursor to get the next page. */
export function sealed(place: string, seal: Seal): string {
  return Buffer.concat([sealOf(place, seal), Buffer.from(place)]).toString('base64url');
}

/** Returns the place in a cursor with this seal; undefined for every other string. */
export function unsealed(cursor: string, seal: Seal): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  // Several strings decode to the same bytes, but `sealed` returned only one of them.
  if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== cursor) return undefined;
  const place = bytes.subarray(SEAL_BYTES).toString();
  const isSealed = timingSafeEqual(bytes.subarray(0, SEAL_BYTES), sealOf(place, seal));
  return isSealed ? place : undefined;
}

function sealOf(place: string, { list, secret }: Seal): Buffer {
  const named = JSON.stringify([place, ...list].map((value) => value ?? null));
  return createHmac('sha256', secret).update(named).digest().subarray(0, SEAL_BYTES);
}
