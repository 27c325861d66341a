import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { holdsKeyString } from '../key-strings/key-string.js';

const ACCEPTED = /^[\x20-\x7e]{1,128}$/;

/** Takes the caller's X-Request-Id or mints one, and always returns it (docs/api.md 1.4). */
export function assignRequestId(request: Request, response: Response, next: NextFunction): void {
  const given = request.get('x-request-id');
  request.requestId = given !== undefined && isAccepted(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', request.requestId);
  next();
}

function isAccepted(given: string): boolean {
  return ACCEPTED.test(given) && !holdsKeyString(given);
}
