import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import express, { type Request, type Response } from 'express';
import type { Observable } from 'rxjs';
import { readBody } from './read-body.js';

export const FORM_LIMIT_BYTES = 16 * 1024;

const readText = express.text({ type: () => true, limit: FORM_LIMIT_BYTES });

/** Reads a form into `URLSearchParams`. Interceptors run after guards, so no refused caller's body is read (ADR 9). */
@Injectable()
export class FormBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const text = await readBody(request, response, FORM_LIMIT_BYTES, readText);
    request.body = new URLSearchParams(typeof text === 'string' ? text : '');
    return next.handle();
  }
}
