import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { outcomeOf } from './response-outcome.js';
import { routeOf } from './route-of.js';

declare module 'express' {
  interface Request {
    /** The fields that a route adds to the line of its request. None can hold a secret. */
    logged?: Readonly<Record<string, string | number>>;
  }
}

const MESSAGES = { whole: 'request', broken: 'request interrupted', aborted: 'request aborted' };

/**
 * Makes a middleware that logs the caller, the route and the outcome of requests. A line has only
 * fields that cannot hold a secret: no header, no body, and the route instead of the path (ADR 9).
 * A fault has a line of its own.
 */
export function requestLog(logger: Logger): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    const started = performance.now();
    // A connection that is closed has no address any more.
    const { ip: address = null } = request;
    response.once('close', () => {
      const outcome = outcomeOf(response);
      const tookMs = performance.now() - started;
      logger.info({
        msg: MESSAGES[outcome],
        request_id: request.requestId,
        ...request.trace,
        ...callerFields(request, address),
        method: request.method,
        route: routeOf(request) ?? null,
        status: response.headersSent ? response.statusCode : null,
        duration_ms: Math.round(tookMs * 1_000) / 1_000,
        ...request.logged,
      });
    });
    next();
  };
}

/** The number of digits of a key's hash that a log line has. */
const HASH_DIGITS = 8;

/**
 * Returns the fields of a log line that identify the caller, refused or not, or the gateway that
 * asks (docs/operations/process.md). If no key was found, only `address` is set.
 */
export function callerFields(
  request: Request,
  address = request.ip ?? null,
): Readonly<Record<string, string | null>> {
  const caller = request.caller ?? request.presented;
  return {
    address,
    account_id: caller?.accountId ?? null,
    user_id: caller?.userId ?? null,
    key: caller?.keyHash.slice(0, HASH_DIGITS) ?? null,
  };
}
