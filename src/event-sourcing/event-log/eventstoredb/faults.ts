import {
  AccessDeniedError,
  DeadlineExceededError,
  MaxAppendSizeExceededError,
  NotLeaderError,
} from '@eventstore/db-client';
import { Denied, changeTooLarge, Unavailable } from '../../../kernel/errors.js';

/** Passing gRPC codes: cancelled, deadline exceeded, aborted, internal, unavailable, data loss. */
const PASSING_CODES = new Set([1, 4, 10, 13, 14, 15]);
const PASSING_MESSAGES =
  /No leader info|Server Is Not Ready|Server Is Busy|Failed to discover|Channel has been shut down/i;

const UNAUTHENTICATED = 16;

const DENIES = 'EventStoreDB denies access: the user of EVENTSTOREDB_CONNECTION_STRING';

/** The server's message for an event that is too large, for which the client has no error class. */
const EVENT_TOO_LARGE = /exceeds Maximum Append Event Size of (\d+)/i;

/**
 * The error when the server is silent: no answer came in time, or a subscription ended or may be
 * dead. The call may still have had its effect.
 */
export class Silence extends Error {
  override readonly name = 'Silence';

  static after(withinMs: number): Silence {
    return new Silence(`no answer within ${Math.round(withinMs)} ms`);
  }
}

const PASSING_KINDS = [Silence, NotLeaderError, Unavailable];

/** Whether the call may succeed later. An append that failed so may still have been stored. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (PASSING_KINDS.some((kind) => error instanceof kind)) return true;
  return (
    ('code' in error && PASSING_CODES.has(Number(error.code))) ||
    PASSING_MESSAGES.test(error.message)
  );
}

export function isSilence(error: unknown): boolean {
  return error instanceof Silence || error instanceof DeadlineExceededError;
}

/**
 * Returns the error of a call that cannot succeed later, for the operator or the caller at fault.
 * @param what the call does, for the operator.
 */
export function finalError(error: unknown, part: string, what = 'read $all'): Error {
  if (isUnauthenticated(error)) {
    return new Denied(part, `${DENIES} is unknown or disabled, or has another password`, error);
  }
  if (error instanceof AccessDeniedError) {
    return new Denied(part, `${DENIES} may not ${what}`, error);
  }
  if (error instanceof MaxAppendSizeExceededError) return changeTooLarge(error.maxAppendSize);
  if (!(error instanceof Error)) return new Error(String(error));
  const [, limitBytes] = EVENT_TOO_LARGE.exec(error.message) ?? [];
  return limitBytes === undefined ? error : changeTooLarge(Number(limitBytes));
}

/** Whether the server knows no such user or password. The client has no error class for this. */
function isUnauthenticated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNAUTHENTICATED;
}

/** Whether the server refused a position because no event begins there. */
export function isNoPlace(error: unknown): boolean {
  return error instanceof Error && /invalid ?position/i.test(error.message);
}
