import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const ACCEPTED = /^[\x20-\x7e]{1,128}$/;

/** Takes the caller's X-Request-Id or mints one, and always returns it (docs/api.md 1.4). */
export function assignRequestId(request: Request, response: Response, next: NextFunction): void {
  const given = request.get('x-request-id');
  request.requestId = given !== undefined && ACCEPTED.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', request.requestId);
  next();
}
