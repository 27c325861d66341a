import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { callerFields } from './caller-fields.js';
import { isInSample } from './request-sample.js';
import { outcomeOf } from './response-outcome.js';
import { routeOf } from './route-of.js';

const MESSAGES = { whole: 'request', broken: 'request broken off', aborted: 'request aborted' };

/** A request that takes so long is logged whatever the sample says. */
const SLOW_MS = 1_000;

/**
 * Writes log lines of requests: the caller, the route and the outcome. A line has only fields that cannot hold a secret:
 * no header, no body, and the route instead of the path (ADR 10).
 * @param oneIn of so many requests that went well one has a line: 1 for all, Infinity for none. Every other request has
 * one (docs/api.md 8.4).
 */
export function requestLog(logger: Logger, oneIn: number): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    const started = performance.now();
    response.once('close', () => {
      if (request.isQuiet) return;
      const outcome = outcomeOf(response);
      const tookMs = performance.now() - started;
      const isError = outcome !== 'whole' || isFailure(request, response, 400);
      const { requestId = '', trace } = request;
      const isChosen = isInSample(trace?.trace_id ?? requestId, oneIn);
      if (!isError && tookMs < SLOW_MS && !isChosen) return;
      const isFault = outcome === 'broken' || isFailure(request, response, 500);
      logger[isFault ? 'warn' : 'info']({
        msg: MESSAGES[outcome],
        request_id: requestId,
        ...trace,
        ...callerFields(request),
        method: request.method,
        route: routeOf(request) ?? null,
        status: response.headersSent ? response.statusCode : null,
        duration_ms: Math.round(tookMs * 1_000) / 1_000,
      });
    });
    next();
  };
}

/** @param from the least status that counts as a failure. */
function isFailure(request: Request, { statusCode }: Response, from: number): boolean {
  return statusCode >= from && request.isStatusWanted !== true;
}
