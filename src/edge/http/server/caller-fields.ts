import type { Request } from 'express';

/** The number of digits of a key's hash that a log line has. */
const HASH_DIGITS = 8;

/** The fields of a log line that identify the caller (docs/api.md 8.4). */
export interface CallerFields {
  readonly address: string | null;
  readonly account_id: string | null;
  readonly user_id: string | null;
  /** The first digits of the hash of the key. */
  readonly key: string | null;
}

/** Returns the log fields of the caller or of the gateway that asks. Before authentication, only `address` is set. */
export function callerFields(request: Request): CallerFields {
  const caller = request.caller ?? request.gateway;
  return {
    address: request.ip ?? null,
    account_id: caller?.accountId ?? null,
    user_id: caller?.userId ?? null,
    key: caller?.keyHash.slice(0, HASH_DIGITS) ?? null,
  };
}
