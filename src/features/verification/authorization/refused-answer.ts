import type { Request, Response } from 'express';
import { errorBody } from '../../../edge/http/answers/error-body.js';
import { ERROR_TABLE } from '../../../edge/http/answers/error-table.js';
import type { RefusalCode } from '../../../kernel/errors.js';

const CHALLENGE = 'Bearer realm="keyledger", error="invalid_token"';

/** The refusal that answers a request of a gateway. */
export interface Refused {
  readonly reason: RefusalCode;
  /** The value of `Keyledger-Code`. */
  readonly code: string;
  /** The HTTP status, if it differs from the status that the error table has for `reason`. */
  readonly status?: number;
  /** Seconds until the limit of the key resets. */
  readonly retryAfter?: number;
}

/** Sends a refusal with an error body. The body names no user, because the client of the gateway may see the body. */
export function sendRefused(
  { requestId }: Request,
  response: Response,
  { reason, code, retryAfter, ...refused }: Refused,
): void {
  const error = { reason, ...ERROR_TABLE[reason], ...refused };
  response.setHeader('Keyledger-Code', code);
  if (error.status === 401) response.setHeader('WWW-Authenticate', CHALLENGE);
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
  response.status(error.status).json(errorBody(error, { requestId }));
}
