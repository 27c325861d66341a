import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { endOf } from './broken-answers.js';
import { callerFields } from './caller-fields.js';
import { routeOf } from './route-of.js';

const MESSAGES = { whole: 'request', broken: 'request broken off', aborted: 'request aborted' };

/**
 * One log line for each request: who, what route, how it ended. It is put together from harmless parts, never
 * from the request as a whole: no header, no body, no path as sent.
 */
export function requestLog(logger: Logger): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    const started = performance.now();
    response.once('close', () => {
      if (request.isQuiet) return;
      const end = endOf(response);
      const level = response.statusCode >= 500 || end === 'broken' ? 'warn' : 'info';
      logger[level]({
        msg: MESSAGES[end],
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
