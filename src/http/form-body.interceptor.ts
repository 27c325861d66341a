import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import express, { type Request, type Response } from 'express';
import type { Observable } from 'rxjs';
import { readBody, requireUtf8 } from './read-body.js';

export const FORM_LIMIT_BYTES = 16 * 1024;

const parseText = express.text({
  type: () => true,
  limit: FORM_LIMIT_BYTES,
  verify: requireUtf8,
});

/** Reads a form into `URLSearchParams`. Interceptors run after guards, so no refused caller's body is read (ADR 9). */
@Injectable()
export class FormBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    await readBody(request, http.getResponse<Response>(), FORM_LIMIT_BYTES, parseText);
    const text: unknown = request.body;
    request.body = new URLSearchParams(typeof text === 'string' ? text : '');
    return next.handle();
  }
}
