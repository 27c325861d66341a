import { isUtf8 } from 'node:buffer';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import express, { type Request, type Response } from 'express';
import type { Observable } from 'rxjs';
import { Refusal, tooLarge } from '../kernel/errors.js';
import { bearerKeyString } from './bearer-key.js';
import { refuseKeysIn } from './keys-in-body.js';

export const BODY_LIMIT_BYTES = 100 * 1024;
/** Up to here a body that is too large is read to its end, for clients that send all before they listen. */
const DRAIN_LIMIT_BYTES = 1024 * 1024;
/** Deeper than anything the interface describes, shallower than what recursion minds. */
const DEPTH_LIMIT = 32;

/** Express's own reader. It refuses bodies that are not UTF-8, which it would otherwise read as something else. */
const readJson = express.json({
  type: () => true,
  limit: BODY_LIMIT_BYTES,
  strict: false,
  verify: (_request, _response, body) => {
    // Express would take an empty body for an empty object.
    if (body.length === 0) throw invalidBody('must be a JSON object');
    if (!isUtf8(body)) throw invalidBody('must be valid UTF-8');
  },
});

/**
 * Reads the body of a request as a JSON object (docs/api.md 1.5). It is an interceptor and not a middleware, so that
 * guards refuse a caller before a byte of the body is read.
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const body = objectOf(await readBody(request, http.getResponse<Response>()));
    refuseKeysIn(body, bearerKeyString(request));
    request.body = body;
    return next.handle();
  }
}

function readBody(request: Request, response: Response): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let settled = false as boolean;
    readJson(request, response, (error?: unknown) => {
      settled = true;
      if (error === undefined) resolve(request.body);
      else reject(readFault(error));
    });
    if (settled) return;
    const refuseFlood = (): void => {
      if (settled) return;
      settled = true;
      response.setHeader('Connection', 'close');
      reject(tooLarge(BODY_LIMIT_BYTES));
    };
    if (Number(request.headers['content-length']) > DRAIN_LIMIT_BYTES) {
      refuseFlood();
      return;
    }
    whenBeyondDrainLimit(request, refuseFlood);
    if (expectsContinue(request)) response.writeContinue();
  });
}

/** Counts along with the reader, which by itself would drain a body that never ends before it refuses it. */
function whenBeyondDrainLimit(request: Request, tell: () => void): void {
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > DRAIN_LIMIT_BYTES) tell();
  });
}

/** Any other expectation has been answered 417, and HTTP/1.0 knows none. */
function expectsContinue({ headers, httpVersion }: Request): boolean {
  return headers.expect !== undefined && httpVersion === '1.1';
}

function readFault(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return tooLarge(BODY_LIMIT_BYTES);
    case 'encoding.unsupported':
      return new Refusal('encoding-unsupported');
    case 'entity.parse.failed':
      return invalidBody('must be valid JSON');
    default:
      return invalidBody('could not be read');
  }
}

function objectOf(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidBody('must be a JSON object');
  }
  if (isDeeperThan(value, DEPTH_LIMIT)) {
    throw invalidBody(`must not be nested deeper than ${DEPTH_LIMIT} levels`);
  }
  return value;
}

function isDeeperThan(value: object, limit: number): boolean {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === limit) return true;
    level = level
      .flatMap((parent): unknown[] => Object.values(parent))
      .filter((child): child is object => typeof child === 'object' && child !== null);
  }
  return false;
}

function invalidBody(problem: string): Refusal {
  return new Refusal('request-invalid', {
    issues: [{ path: '', message: `the request body ${problem}` }],
  });
}
