import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { Denied, Refusal, Unavailable, Unreadable } from '../../../kernel/errors.js';
import { callerFields } from '../server/request-log.js';
import { type ErrorAnswer, errorBody } from './error-body.js';
import { ERROR_TABLE, FAULT_TABLE, type FaultCode } from './error-table.js';
import { allowedMethods, undecodableParameters } from '../server/matching-routes.js';
import { NOT_DECODABLE } from '../fields/query-string.js';
import { noteBroken } from '../server/response-outcome.js';
import { STALE } from './stale.js';

const RETRY_AFTER_SECONDS = '1';

interface FullAnswer extends ErrorAnswer {
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers every request whose handling threw an error. Routes of gateways and probes write error bodies themselves. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  readonly #logger = new Logger('http');

  /** @param onRefusal is called for every refusal. */
  constructor(private readonly onRefusal: (refusal: Refusal) => void) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const answer = this.#answerTo(error, request);
    if (error instanceof Refusal) this.onRefusal(error);
    if (answer.status >= 500) this.#log(error, request, response);
    if (response.headersSent) {
      noteBroken(response);
      response.destroy();
      return;
    }
    for (const [name, value] of Object.entries(answer.headers ?? {}))
      response.setHeader(name, value);
    // The handler may have set another content type before it failed.
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    const { metadata = null } = answer;
    const { requestId, caller } = request;
    response
      .status(answer.status)
      .json(errorBody(answer, { metadata, requestId, userId: caller?.userId }));
  }

  #answerTo(error: unknown, request: Request): FullAnswer {
    if (error instanceof Refusal) return refusalAnswer(error);
    if (error instanceof Unavailable) return unavailableAnswer();
    if (error instanceof Unreadable) return laterAnswer('event-unreadable');
    if (error instanceof Denied) {
      return { ...unavailableAnswer(), message: `The ${error.part} denies access to the service` };
    }
    // No route has the path, or the path does not decode.
    if (error instanceof HttpException && error.getStatus() < 500) {
      return methodAnswer(request) ?? pathAnswer(error, request);
    }
    return faultAnswer('internal-error');
  }

  #log(error: unknown, request: Request, response: Response): void {
    const { requestId: request_id, trace } = request;
    const fields = { request_id, ...trace, ...callerFields(request) };
    if (error instanceof Refusal) {
      // When the caller disconnects, a decision that waits for other writers ends with a Refusal. This is no fault.
      const level = response.destroyed ? 'log' : 'warn';
      this.#logger[level]({ msg: ERROR_TABLE[error.code].message, ...fields });
      return;
    }
    const isOfAPart = error instanceof Unavailable || error instanceof Denied;
    const msg = isOfAPart ? `${error.part} unavailable` : 'a request failed';
    this.#logger.error({ msg, ...fields, err: error });
  }
}

function faultAnswer(reason: FaultCode): FullAnswer {
  return { reason, ...FAULT_TABLE[reason] };
}

function unavailableAnswer(): FullAnswer {
  return laterAnswer('unavailable');
}

function laterAnswer(reason: FaultCode): FullAnswer {
  return { ...faultAnswer(reason), headers: { 'Retry-After': RETRY_AFTER_SECONDS } };
}

function refusalAnswer({ code, details: metadata, isLate }: Refusal): FullAnswer {
  const answer = ERROR_TABLE[code];
  const headers = {
    ...(answer.status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(answer.status === 503 && { 'Retry-After': RETRY_AFTER_SECONDS }),
    ...(isLate && STALE),
  };
  return { reason: code, ...answer, metadata, headers };
}

function pathAnswer(error: HttpException, request: Request): FullAnswer {
  if (error instanceof NotFoundException) return faultAnswer('route-unknown');
  const issues = undecodableParameters(request).map((path) => ({ path, message: NOT_DECODABLE }));
  const metadata = issues.length > 0 ? { issues } : null;
  const { message } = ERROR_TABLE['request-invalid'];
  return { reason: 'request-invalid', status: error.getStatus(), message, metadata };
}

/** @returns undefined when the method is not at fault. */
function methodAnswer(request: Request): FullAnswer | undefined {
  const allowed = allowedMethods(request);
  // Either no route has the path, or a route has the method and the path does not decode.
  if (allowed.length === 0 || allowed.includes(request.method)) return undefined;
  return {
    ...faultAnswer('method-not-allowed'),
    message: `This route answers ${allowed.join(', ')}`,
    headers: { Allow: allowed.join(', ') },
  };
}
