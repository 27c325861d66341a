import type { Response } from 'express';
import { REFUSAL_TABLE } from '../../../edge/http/answers/error-table.js';
import { HttpRefusal } from '../../../edge/http/answers/http-refusal.js';
import type { Caller } from '../../../edge/http/callers/caller.js';
import { exactLimitRemaining } from '../../keys/domain/limit.js';
import { exceededLimit } from '../domain/verification.js';
import type { Verification } from '../verification.fields.js';

/** Clients sleep for as long as they are told, and a limit may be raised meanwhile. In seconds. */
const LONGEST_RETRY_AFTER = 60;
const CHALLENGE = 'Bearer realm="keyledger", error="invalid_token"';

/** The refusals by the codes of `Keyledger-Code`: those of verifications, and three more. */
const GATEWAY_REFUSALS = {
  NO_KEY: 'key-missing',
  AMBIGUOUS: 'key-ambiguous',
  GATEWAY_UNAUTHORIZED: 'gateway-unauthorized',
  MALFORMED: 'key-invalid',
  NOT_FOUND: 'key-invalid',
  ROTATED: 'key-rotated',
  DISABLED: 'key-disabled',
  EXPIRED: 'key-expired',
  WRONG_WORKSPACE: 'wrong-workspace',
  LIMIT_EXCEEDED: 'limit-exceeded',
} as const;

type GatewayCode = keyof typeof GATEWAY_REFUSALS;

/** Makes a refusal. Its body names no user, because the client of the gateway may see the body. */
export function gatewayRefusal(code: GatewayCode, headers = {}, status?: number): HttpRefusal {
  const reason = GATEWAY_REFUSALS[code];
  const challenge = REFUSAL_TABLE[reason].status === 401 && { 'WWW-Authenticate': CHALLENGE };
  return new HttpRefusal(reason, {
    headers: { 'Keyledger-Code': code, ...challenge, ...headers },
    ...(status !== undefined && { status }),
  });
}

/** Makes the refusal of a key by its verification's code. @param status for an exceeded limit. */
export function keyRefusal(
  code: GatewayCode,
  { key, spent, at }: Verification,
  status: number,
): HttpRefusal {
  if (code !== 'LIMIT_EXCEEDED' || !key || spent === null) return gatewayRefusal(code);
  if (status !== 429) return gatewayRefusal(code, {}, status);
  const resetsAt = exceededLimit(key, spent, at)?.resets_at;
  const left = resetsAt == null ? Infinity : (Date.parse(resetsAt) - at.getTime()) / 1_000;
  const seconds = Math.min(Math.ceil(left), LONGEST_RETRY_AFTER);
  return gatewayRefusal(code, { 'Retry-After': String(seconds) }, status);
}

/** Sets all five headers, some empty, so that a gateway overwrites such headers of the client. */
export function passOn(response: Response, gateway: Caller, { key, spent }: Verification): void {
  if (!key || spent === null) throw new Error('a key that may be used is there, with its spending');
  const remaining = exactLimitRemaining(key.limit, spent);
  response.setHeader('Keyledger-Key-Hash', key.hash);
  response.setHeader('Keyledger-Account', gateway.accountId);
  response.setHeader('Keyledger-Workspace', key.workspace_id);
  response.setHeader('Keyledger-External-User', encodeURIComponent(key.external_user ?? ''));
  response.setHeader('Keyledger-Limit-Remaining', remaining?.toFixed() ?? '');
}
