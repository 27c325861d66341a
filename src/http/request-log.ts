import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { callerFields } from './caller-fields.js';
import { outcomeOf } from './response-outcome.js';
import { routeOf } from './route-of.js';

const MESSAGES = { whole: 'request', broken: 'request broken off', aborted: 'request aborted' };

/**
 * Writes one log line for each request: the caller, the route and the outcome. The line has only fields that cannot
 * hold a secret: no header, no body, and the route instead of the path (ADR 10).
 */
export function requestLog(logger: Logger): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    const started = performance.now();
    response.once('close', () => {
      if (request.isQuiet) return;
      const outcome = outcomeOf(response);
      const level = response.statusCode >= 500 || outcome === 'broken' ? 'warn' : 'info';
      logger[level]({
        msg: MESSAGES[outcome],
        request_id: request.requestId,
        ...callerFields(request),
        method: request.method,
        route: routeOf(request) ?? null,
        status: response.headersSent ? response.statusCode : null,
        duration_ms: Math.round((performance.now() - started) * 1_000) / 1_000,
      });
    });
    next();
  };
}
