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
import { checkValues } from './body-values.js';
import { announcesBody, invalidBody, readBody, requireUtf8 } from './read-body.js';

export const BODY_LIMIT_BYTES = 100 * 1024;

const jsonParser = (limit: number, mayBeEmpty: boolean) =>
  express.json({
    type: () => true,
    limit,
    strict: false,
    verify: (request, response, body, charset) => {
      // Express parses an empty body as an empty object.
      if (body.length === 0 && !mayBeEmpty) throw invalidBody('must be a JSON object');
      requireUtf8(request, response, body, charset);
    },
  });

/** The form of a body that is not a JSON object without key strings. */
interface BodyForm {
  /** The field that may hold a key string, because it is not stored. */
  readonly keyStringIn?: string;
  /** Reads the body of a route that takes no JSON. `nobody` for a route that reads no body. */
  readonly readBy?: ((request: Request) => Promise<unknown>) | 'nobody';
  readonly limitBytes?: number;
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
  /** By the method of the route. */
  readonly #parsers = new Map<object, RequestHandler>();
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
      mayBeAbsent = false,
    } = this.reflector.get(BodyOf, handler) ?? {};
    if (!WITH_BODY.has(request.method) || readBy === 'nobody') return true;
    if (mayBeAbsent && !announcesBody(request)) {
      request.body = {};
      return true;
    }
    const isReport = this.reflector.get(SlotsOf, handler) === 'usage-reports';
    await this.#room.enter(request, response, limitBytes, isReport);
    if (readBy) {
      await readBy(request);
    } else {
      const parser = this.#parsers.get(handler) ?? jsonParser(limitBytes, mayBeAbsent);
      this.#parsers.set(handler, parser);
      await readBody(request, response, limitBytes, parser);
    }
    request.bodyReadAt = performance.now();
    if (readBy) return true;
    const body: unknown = request.body;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw invalidBody('must be a JSON object');
    }
    checkValues(body, requireBearerKey(request), keyStringIn);
    const known = this.reflector.get(LenientFields, handler);
    if (!known) return true;
    nameIgnored(response, body, known);
    if (!prefersStrict(request)) return true;
    refuseUnknown(body, known);
    noteStrict(response);
    return true;
  }
}
