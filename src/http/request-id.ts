import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { holdsKeyString } from '../key-strings/key-string.js';

const ACCEPTED = /^[\x20-\x7e]{1,128}$/;
/** Captures a bearer token without the prefix that all key strings have. */
const TOKEN = /^Bearer +(?:[sm]k-v1-)?([\x21-\x7e]+)/i;
/** A piece of a key of this length gives too much of the key away. No key is shorter. */
const TOO_MUCH = 24;

/** Takes the caller's X-Request-Id or makes a new one, and sets the header of the answer (docs/api.md 1.4). */
export function assignRequestId(request: Request, response: Response, next: NextFunction): void {
  request.requestId = requestIdOf(request);
  response.setHeader('X-Request-Id', request.requestId);
  next();
}

/** Gives the request id of the caller when it is acceptable, or a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  const mayBeTaken =
    typeof given === 'string' &&
    ACCEPTED.test(given) &&
    !holdsKeyString(given) &&
    !repeatsKey(request, given);
  return mayBeTaken ? given : randomUUID();
}

/** Whether a text contains a long piece of the key in the request's own Authorization header. */
export function repeatsKey({ headers }: IncomingMessage, text: string): boolean {
  const [, token = ''] = TOKEN.exec(headers.authorization?.toLowerCase() ?? '') ?? [];
  const searched = text.toLowerCase();
  for (let from = 0; from + TOO_MUCH <= searched.length; from += 1) {
    if (token.includes(searched.slice(from, from + TOO_MUCH))) return true;
  }
  return false;
}
