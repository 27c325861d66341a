import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { callerFields } from './caller-fields.js';
import { isInSample } from './request-sample.js';
import { outcomeOf } from './response-outcome.js';
import { routeOf } from './route-of.js';

const MESSAGES = { whole: 'request', broken: 'request broken off', aborted: 'request aborted' };

/** The duration from which a request is logged even if it is not in the sample. */
const SLOW_MS = 1_000;

/**
 * Makes a middleware that logs the caller, the route and the outcome of requests. A line has only fields that cannot
 * hold a secret: no header, no body, and the route instead of the path (ADR 10).
 * @param oneIn the number of successful requests per log line: 1 logs all of them, Infinity logs none. All failed and
 * slow requests have a line, unless `isQuiet` is set (docs/api.md 8.4).
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

/** Whether the status of an answer is a failure. @param from the lowest status that counts as a failure. */
function isFailure(request: Request, { statusCode }: Response, from: number): boolean {
  return statusCode >= from && request.isStatusWanted !== true;
}
