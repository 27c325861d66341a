import { isUtf8 } from 'node:buffer';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Observable } from 'rxjs';
import { bearerKeyString } from './bearer-key.js';
import { invalidBody, readBody } from './read-body.js';
import { refuseKeysIn } from './keys-in-body.js';
import { excessBeforeParsing, excessOf } from './values-in-body.js';

export const BODY_LIMIT_BYTES = 100 * 1024;

/** Makes a parser of JSON bodies. Express alone decodes invalid UTF-8 silently, so `verify` refuses such a body. */
function jsonReader(limit: number): RequestHandler {
  return express.json({
    type: () => true,
    limit,
    strict: false,
    verify: (_request, _response, body) => {
      // Express parses an empty body as an empty object.
      if (body.length === 0) throw invalidBody('must be a JSON object');
      if (!isUtf8(body)) throw invalidBody('must be valid UTF-8');
      const excess = excessBeforeParsing(body);
      if (excess !== undefined) throw invalidBody(excess);
    },
  });
}

const readJson = jsonReader(BODY_LIMIT_BYTES);

/**
 * Reads the body of a request as a JSON object (docs/api.md 1.5). It is an interceptor, not a middleware, because
 * interceptors run after guards: no body is read for a refused caller (ADR 9).
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    await readObject(context, { limitBytes: BODY_LIMIT_BYTES, maySendKeys: [] });
    return next.handle();
  }
}

/** The options for reading a body. */
interface BodyOptions {
  readonly limitBytes: number;
  /** The fields that may hold key strings. */
  readonly maySendKeys: readonly string[];
}

/** Makes an interceptor that reads a JSON object with the given limit, and with fields that may hold key strings. */
export function jsonBody(options: Partial<BodyOptions>): NestInterceptor {
  const readJsonUpTo = jsonReader(options.limitBytes ?? BODY_LIMIT_BYTES);
  return {
    async intercept(context, next) {
      const all = { limitBytes: BODY_LIMIT_BYTES, maySendKeys: [], ...options };
      await readObject(context, all, readJsonUpTo);
      return next.handle();
    },
  };
}

async function readObject(
  context: ExecutionContext,
  { limitBytes, maySendKeys }: BodyOptions,
  reader = readJson,
): Promise<void> {
  const http = context.switchToHttp();
  const request = http.getRequest<Request>();
  const body = objectOf(await readBody(request, http.getResponse<Response>(), limitBytes, reader));
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
