import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { Denied, Refusal, Unavailable, Unreadable } from '../kernel/errors.js';
import { noteBroken } from './broken-answers.js';
import { callerFields } from './caller-fields.js';
import { errorBody, type ToldError } from './error-body.js';
import { ERROR_TABLE, FAULT_TABLE, type FaultCode } from './error-table.js';
import { LOG_POSITION_HEADER } from './log-position.js';
import { allowedMethods, undecodableParameters } from './matching-routes.js';
import { NOT_DECODABLE } from './query-string.js';

const RETRY_AFTER_SECONDS = '1';

interface Told extends ToldError {
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Turns whatever was thrown while a request was handled into the error body; nothing else writes errors. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  readonly #logger = new Logger('http');

  /** @param onRefusal is told of every refusal. */
  constructor(private readonly onRefusal: (refusal: Refusal) => void) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const told = this.#tell(error, request);
    if (error instanceof Refusal) this.onRefusal(error);
    if (told.status >= 500) this.#log(error, request);
    if (response.headersSent) {
      noteBroken(response);
      response.destroy();
      return;
    }
    for (const [name, value] of Object.entries(told.headers ?? {})) response.setHeader(name, value);
    // Whoever failed may have begun an answer of another kind.
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    const { metadata = null } = told;
    const { requestId, caller } = request;
    response
      .status(told.status)
      .json(errorBody(told, { metadata, requestId, userId: caller?.userId }));
  }

  #tell(error: unknown, request: Request): Told {
    if (error instanceof Refusal) return tellRefusal(error);
    if (error instanceof Unavailable) return tellUnavailable();
    if (error instanceof Unreadable) return tellLater('event-unreadable');
    if (error instanceof Denied) {
      return { ...tellUnavailable(), message: `The ${error.part} denies access to the service` };
    }
    // A path of no route, or one that does not decode.
    if (error instanceof HttpException && error.getStatus() < 500) {
      return tellMethod(request) ?? tellPath(error, request);
    }
    return tellFault('internal-error');
  }

  #log(error: unknown, request: Request): void {
    const { requestId: request_id } = request;
    const fields = { request_id, ...callerFields(request) };
    if (error instanceof Refusal) {
      this.#logger.warn({ msg: ERROR_TABLE[error.code].message, ...fields });
      return;
    }
    const isOfAPart = error instanceof Unavailable || error instanceof Denied;
    const msg = isOfAPart ? `${error.part} unavailable` : 'a request failed';
    this.#logger.error({ msg, ...fields, err: error });
  }
}

function tellFault(reason: FaultCode): Told {
  return { reason, ...FAULT_TABLE[reason] };
}

function tellUnavailable(): Told {
  return tellLater('unavailable');
}

function tellLater(reason: FaultCode): Told {
  return { ...tellFault(reason), headers: { 'Retry-After': RETRY_AFTER_SECONDS } };
}

function tellRefusal({ code, details: metadata, position }: Refusal): Told {
  const answer = ERROR_TABLE[code];
  const headers = {
    ...(answer.status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(answer.status === 503 && { 'Retry-After': RETRY_AFTER_SECONDS }),
    ...(position !== undefined && { [LOG_POSITION_HEADER]: position }),
  };
  return { reason: code, ...answer, metadata, headers };
}

function tellPath(error: HttpException, request: Request): Told {
  if (error instanceof NotFoundException) return tellFault('route-unknown');
  const issues = undecodableParameters(request).map((path) => ({ path, message: NOT_DECODABLE }));
  const metadata = issues.length > 0 ? { issues } : null;
  const { message } = ERROR_TABLE['request-invalid'];
  return { reason: 'request-invalid', status: error.getStatus(), message, metadata };
}

/** Undefined when the method is not at fault. */
function tellMethod(request: Request): Told | undefined {
  const allowed = allowedMethods(request);
  // A route that has the method has passed the request on, as that of a file that is not there does.
  if (allowed.length === 0 || allowed.includes(request.method)) return undefined;
  return {
    ...tellFault('method-not-allowed'),
    message: `This route answers ${allowed.join(', ')}`,
    headers: { Allow: allowed.join(', ') },
  };
}
