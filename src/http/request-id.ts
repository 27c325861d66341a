import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { holdsKeyString } from '../key-strings/key-string.js';

const ACCEPTED = /^[\x20-\x7e]{1,128}$/;

/** Takes the caller's X-Request-Id or mints one, and always returns it (docs/api.md 1.4). */
export function assignRequestId(request: Request, response: Response, next: NextFunction): void {
  request.requestId = requestIdOf(request);
  response.setHeader('X-Request-Id', request.requestId);
  next();
}

/** That of the caller when it may be taken, else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && isAccepted(given) ? given : randomUUID();
}

function isAccepted(given: string): boolean {
  return ACCEPTED.test(given) && !holdsKeyString(given);
}
