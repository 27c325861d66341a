import type { Request } from 'express';

/** So many digits of a hash tell keys apart in a log. */
const HASH_DIGITS = 8;

/** Who makes a request, as log lines say it (docs/api.md 8.4). */
export interface CallerFields {
  readonly address: string | null;
  readonly account_id: string | null;
  readonly user_id: string | null;
  /** The first digits of the hash of the key. */
  readonly key: string | null;
}

/** All but the address are null before a key was found. */
export function callerFields(request: Request): CallerFields {
  const { caller } = request;
  return {
    address: request.clientAddress ?? null,
    account_id: caller?.accountId ?? null,
    user_id: caller?.userId ?? null,
    key: caller?.keyHash.slice(0, HASH_DIGITS) ?? null,
  };
}
