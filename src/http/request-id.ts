import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { holdsKeyString } from '../key-strings/key-string.js';

const ACCEPTED = /^[\x20-\x7e]{1,128}$/;
/** What a bearer token begins with, without what all of ours begin with. None is shorter. */
const TOKEN = /^Bearer +(?:[sm]k-v1-)?([\x21-\x7e]{24})/i;

/** Takes the caller's X-Request-Id or mints one, and always returns it (docs/api.md 1.4). */
export function assignRequestId(request: Request, response: Response, next: NextFunction): void {
  request.requestId = requestIdOf(request);
  response.setHeader('X-Request-Id', request.requestId);
  next();
}

/** That of the caller when it may be taken, else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  const mayBeTaken =
    typeof given === 'string' &&
    ACCEPTED.test(given) &&
    !holdsKeyString(given) &&
    !holdsMostOf(headers.authorization, given);
  return mayBeTaken ? given : randomUUID();
}

/** Whether a text gives away the key that its own request carries: most of it would be enough. */
function holdsMostOf(authorization: string | undefined, text: string): boolean {
  const [, start] = TOKEN.exec(authorization ?? '') ?? [];
  return start !== undefined && text.toLowerCase().includes(start.toLowerCase());
}
