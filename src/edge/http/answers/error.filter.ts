import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { Denied, Refusal, Unavailable, Unreadable } from '../../../kernel/errors.js';
import { REFUSALS } from '../../../kernel/refusals.js';
import { callerFields } from '../server/request-log.js';
import { type ErrorAnswer, errorBody } from './error-body.js';
import { REFUSAL_TABLE, FAULT_TABLE, type FaultCode } from './error-table.js';
import { HttpRefusal } from './http-refusal.js';
import { matchingRoutes } from '../server/matching-routes.js';
import { noteBroken } from '../server/response-outcome.js';
import { STALE } from './stale.js';

declare module 'express' {
  interface Request {
    /** The reason of the error that the request is answered with. */
    refusedFor?: string;
  }
}

const RETRY_AFTER_SECONDS = '1';

@Catch()
export class ErrorFilter implements ExceptionFilter {
  readonly #logger = new Logger('http');
  /** The states that fail requests. A line says when one begins, and when none failed for 10 s. */
  readonly #states = new LRUCache<string, true>({
    ttl: 10_000,
    ttlAutopurge: true,
    updateAgeOnHas: true,
    dispose: (_, state) => this.#logger.log({ msg: `no request failed for 10 s: ${state}` }),
  });

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const answer = this.#answerTo(error, request);
    request.refusedFor = answer.reason;
    if (answer.status >= 500) this.#log(error, request, response);
    if (response.headersSent) {
      noteBroken(response);
      response.destroy();
      return;
    }
    // Before the answer, so that listeners may still change its headers.
    response.emit('failed', error);
    sendError(request, response, answer);
  }

  #answerTo(error: unknown, request: Request): ErrorAnswer {
    if (error instanceof Refusal) return refusalAnswer(error);
    if (error instanceof Unavailable) return laterAnswer('unavailable');
    if (error instanceof Unreadable) return laterAnswer('event-unreadable');
    if (error instanceof Denied) {
      return {
        ...laterAnswer('unavailable'),
        message: `The ${error.part} denies access to the service`,
      };
    }
    if (error instanceof HttpException && error.getStatus() < 500) {
      return pathAnswer(error, request);
    }
    return faultAnswer('internal-error');
  }

  #log(error: unknown, request: Request, response: Response): void {
    const { requestId: request_id, trace } = request;
    const fields = { request_id, ...trace, ...callerFields(request) };
    const state = stateBehind(error);
    if (state === undefined) {
      this.#logger.error({ msg: 'a request failed', ...fields, err: error });
      return;
    }
    request.logged = { ...request.logged, problem: state };
    // A decision that waits ends with a Refusal when the caller disconnects. This is no fault.
    if (error instanceof Refusal && response.destroyed) return;
    const cause = error instanceof Denied ? error.message : state;
    if (this.#states.has(cause)) return;
    this.#states.set(cause, true);
    if (error instanceof Refusal) this.#logger.warn({ msg: state, ...fields });
    else this.#logger.error({ msg: state, ...fields, err: error });
  }
}

/** Sends an error as the answer to a request (docs/api.md 7). */
export function sendError(request: Request, response: Response, answer: ErrorAnswer): void {
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  // The handler may have set another content type before it failed.
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const body = errorBody(answer, request.requestId, request.caller?.userId);
  response.status(answer.status).json(body);
}

/** Names the state of the service behind an error; undefined for a fault of one request. */
function stateBehind(error: unknown): string | undefined {
  if (error instanceof Refusal) return REFUSALS[error.code];
  if (error instanceof Unavailable || error instanceof Denied) return `${error.part} unavailable`;
  return error instanceof Unreadable ? error.message : undefined;
}

function faultAnswer(reason: FaultCode): ErrorAnswer {
  return { reason, ...FAULT_TABLE[reason] };
}

function laterAnswer(reason: FaultCode): ErrorAnswer {
  return { ...faultAnswer(reason), headers: { 'Retry-After': RETRY_AFTER_SECONDS } };
}

function refusalAnswer(refusal: Refusal): ErrorAnswer {
  const { code: reason, details: metadata, isLate } = refusal;
  const own = refusal instanceof HttpRefusal ? refusal.answer : undefined;
  const { status, message } = REFUSAL_TABLE[reason];
  const headers = {
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    // The rest of the body may never come.
    ...(status === 408 && { Connection: 'close' }),
    ...(status === 503 && { 'Retry-After': RETRY_AFTER_SECONDS }),
    ...(isLate && STALE),
    ...own?.headers,
  };
  return { reason, status: own?.status ?? status, message, metadata, headers };
}

/** The answer to a request of no route: a wrong or undecodable path, or a wrong method. */
function pathAnswer(error: HttpException, request: Request): ErrorAnswer {
  const { methods, parameters } = matchingRoutes(request);
  if (methods.length > 0 && !methods.includes(request.method)) {
    const Allow = methods.join(', ');
    const message = `This route answers ${Allow}`;
    return { ...faultAnswer('method-not-allowed'), message, headers: { Allow } };
  }
  if (error instanceof NotFoundException) return faultAnswer('route-unknown');
  const issues = parameters.map((path) => ({
    path,
    message: 'is not valid percent-encoded UTF-8',
  }));
  const { message } = REFUSAL_TABLE['request-invalid'];
  const metadata = issues.length > 0 ? { issues } : null;
  return { reason: 'request-invalid', status: error.getStatus(), message, metadata };
}
