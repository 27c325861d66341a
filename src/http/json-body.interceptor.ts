import { isUtf8 } from 'node:buffer';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import express, { type Request, type Response } from 'express';
import type { Observable } from 'rxjs';
import { bearerKeyString } from './bearer-key.js';
import { invalidBody, readBody } from './read-body.js';
import { refuseKeysIn } from './keys-in-body.js';
import { excessBeforeParsing, excessOf } from './values-in-body.js';

export const BODY_LIMIT_BYTES = 100 * 1024;

/** Parses JSON bodies. Express alone decodes invalid UTF-8 silently, so `verify` refuses such a body. */
const readJson = express.json({
  type: () => true,
  limit: BODY_LIMIT_BYTES,
  strict: false,
  verify: (_request, _response, body) => {
    // Express parses an empty body as an empty object.
    if (body.length === 0) throw invalidBody('must be a JSON object');
    if (!isUtf8(body)) throw invalidBody('must be valid UTF-8');
    const excess = excessBeforeParsing(body);
    if (excess !== undefined) throw invalidBody(excess);
  },
});

/**
 * Reads the body of a request as a JSON object (docs/api.md 1.5). It is an interceptor, not a middleware, because
 * interceptors run after guards: no body is read for a refused caller (ADR 9).
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    await readObject(context);
    return next.handle();
  }
}

/** Makes an interceptor that reads a JSON object of which the given fields may hold key strings. */
export function jsonBodyWithKeys(...maySendKeys: readonly string[]): NestInterceptor {
  return {
    async intercept(context, next) {
      await readObject(context, maySendKeys);
      return next.handle();
    },
  };
}

async function readObject(
  context: ExecutionContext,
  maySendKeys: readonly string[] = [],
): Promise<void> {
  const http = context.switchToHttp();
  const request = http.getRequest<Request>();
  const response = http.getResponse<Response>();
  const body = objectOf(await readBody(request, response, BODY_LIMIT_BYTES, readJson));
  refuseKeysIn(body, bearerKeyString(request), maySendKeys);
  request.body = body;
}

function objectOf(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidBody('must be a JSON object');
  }
  const excess = excessOf(value);
  if (excess !== undefined) throw invalidBody(excess);
  return value;
}
