import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { SlotsOf } from '../../rate-limits/account-concurrency.guard.js';
import { BodyRoom } from '../../rate-limits/body-room.js';
import { requireBearerKey } from '../callers/bearer-key.js';
import {
  LenientFields,
  nameIgnored,
  noteStrict,
  prefersStrict,
  refuseUnknown,
} from '../fields/lenient-body.js';
import { announcesBody, parseBody, readBody, requireUtf8 } from './read-body.js';

export const BODY_LIMIT_BYTES = 100 * 1024;

const rawParser = (limit: number) => express.raw({ type: () => true, limit, verify: requireUtf8 });

/** The form of a body that is not a JSON object without key strings. */
interface BodyForm {
  /** The field that may hold a key string, because it is not stored. */
  readonly keyStringIn?: string;
  /** Reads the body of a route that takes no JSON. `nobody` for a route that reads no body. */
  readonly readBy?: ((request: Request) => Promise<unknown>) | 'nobody';
  readonly limitBytes?: number;
  /** Whether the route gets the bytes, and parses them with `parseBody` in the request's turn. */
  readonly isParsedLater?: boolean;
  /** Whether a request without a body counts as one with an empty object. */
  readonly mayBeAbsent?: boolean;
}

export const BodyOf = Reflector.createDecorator<BodyForm | undefined>();

declare module 'express' {
  interface Request {
    /** The time, by `performance.now()`, when the whole body was there. */
    bodyReadAt?: number;
  }
}

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Reads the body of a request as a JSON object (docs/api.md 1.5). It is a guard, not a middleware,
 * because it runs after the guard of callers: no body is read for a refused caller (ADR 9).
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  readonly #parsers = new Map<number, RequestHandler>();
  readonly #room = new BodyRoom();

  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const handler = context.getHandler();
    const {
      limitBytes = BODY_LIMIT_BYTES,
      readBy,
      keyStringIn,
      isParsedLater = false,
      mayBeAbsent = false,
    } = this.reflector.get(BodyOf, handler) ?? {};
    if (!WITH_BODY.has(request.method) || readBy === 'nobody') return true;
    if (mayBeAbsent && !announcesBody(request)) {
      request.body = {};
      return true;
    }
    const isReport = this.reflector.get(SlotsOf, handler) === 'usage-reports';
    await this.#room.enter(request, response, limitBytes, isReport);
    if (readBy) await readBy(request);
    else await readBody(request, response, limitBytes, this.#parserOf(limitBytes));
    request.bodyReadAt = performance.now();
    if (readBy || isParsedLater) return true;
    const isAbsent = mayBeAbsent && Buffer.isBuffer(request.body) && request.body.length === 0;
    const body = isAbsent ? {} : parseBody(request.body, requireBearerKey(request), keyStringIn);
    request.body = body;
    const known = this.reflector.get(LenientFields, handler);
    if (!known) return true;
    nameIgnored(response, body, known);
    if (!prefersStrict(request)) return true;
    refuseUnknown(body, known);
    noteStrict(response);
    return true;
  }

  #parserOf(limitBytes: number): RequestHandler {
    const parser = this.#parsers.get(limitBytes) ?? rawParser(limitBytes);
    this.#parsers.set(limitBytes, parser);
    return parser;
  }
}
