import type { Response } from 'express';
import { REFUSAL_TABLE } from '../../../edge/http/answers/error-table.js';
import { HttpRefusal } from '../../../edge/http/answers/http-refusal.js';
import type { Caller } from '../../../edge/http/callers/caller.js';
import { exceededLimit, leastRemaining } from '../domain/verification.js';
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

interface AnswerOfRefusal {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: HttpRefusal['details'];
}

/** Makes a refusal. Its body names no user, because the client of the gateway may see the body. */
export function gatewayRefusal(code: GatewayCode, answer: AnswerOfRefusal = {}): HttpRefusal {
  const { status, headers, details } = answer;
  const reason = GATEWAY_REFUSALS[code];
  const challenge = REFUSAL_TABLE[reason].status === 401 && { 'WWW-Authenticate': CHALLENGE };
  return new HttpRefusal(
    reason,
    {
      headers: { 'Keyledger-Code': code, ...challenge, ...headers },
      ...(status !== undefined && { status }),
    },
    details,
  );
}

/** Makes the refusal of a key by its verification's code. @param status for an exceeded limit. */
export function keyRefusal(
  code: GatewayCode,
  { limits, at }: Verification,
  status: number,
): HttpRefusal {
  const exceeded = exceededLimit(limits, at);
  if (!exceeded) return gatewayRefusal(code);
  const { limit, usage, ...told } = exceeded;
  // The client of a gateway is not told what its team may spend.
  const details = exceeded.scope === 'workspace' ? told : { ...told, limit, usage };
  if (status !== 429) return gatewayRefusal(code, { status, details });
  const { resets_at } = exceeded;
  const left = resets_at === null ? Infinity : (Date.parse(resets_at) - at.getTime()) / 1_000;
  const seconds = Math.min(Math.ceil(left), LONGEST_RETRY_AFTER);
  return gatewayRefusal(code, { status, details, headers: { 'Retry-After': String(seconds) } });
}

/** Sets all five headers, some empty, so that a gateway overwrites such headers of the client. */
export function passOn(response: Response, gateway: Caller, { key, limits }: Verification): void {
  if (!key) throw new Error('a key that may be used is there');
  const remaining = leastRemaining(limits);
  response.setHeader('Keyledger-Key-Hash', key.hash);
  response.setHeader('Keyledger-Account', gateway.accountId);
  response.setHeader('Keyledger-Workspace', key.workspace_id);
  response.setHeader('Keyledger-External-User', encodeURIComponent(key.external_user ?? ''));
  response.setHeader('Keyledger-Limit-Remaining', remaining?.toFixed() ?? '');
}
