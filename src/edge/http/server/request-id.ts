import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { bearerToken } from '../callers/bearer-key.js';
import { containsKeyStringForm } from '../../../kernel/key-string.js';

const ACCEPTED = /^[\x20-\x7e]{1,128}$/;
/** The beginning of every key string, which reveals nothing. */
const PREFIX = /^[sm]k-v1-/;
/** So many successive characters reveal too much of a key. No key has fewer. */
const TOO_MUCH = 24;

/** Sets `requestId` and the answer's X-Request-Id: the caller's or a new one (docs/api.md 1.4). */
export function assignRequestId(request: Request, response: Response, next: NextFunction): void {
  request.requestId = requestIdOf(request);
  response.setHeader('X-Request-Id', request.requestId);
  next();
}

function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  const mayBeTaken =
    typeof given === 'string' &&
    ACCEPTED.test(given) &&
    !containsKeyStringForm(given) &&
    !repeatsKey(request, given);
  return mayBeTaken ? given : randomUUID();
}

/** Whether a string contains a long piece of the key in the request's own Authorization header. */
export function repeatsKey({ headers }: IncomingMessage, text: string): boolean {
  const token = bearerToken(headers.authorization?.toLowerCase())?.replace(PREFIX, '') ?? '';
  const searched = text.toLowerCase();
  for (let from = 0; from + TOO_MUCH <= searched.length; from += 1) {
    if (token.includes(searched.slice(from, from + TOO_MUCH))) return true;
  }
  return false;
}
