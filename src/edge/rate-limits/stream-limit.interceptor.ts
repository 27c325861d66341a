import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { prefersNdjson } from '../http/answers/ndjson.js';
import { handOn } from '../http/server/until-ended.js';
import { Refusal } from '../../kernel/errors.js';
import { StreamSlots } from './stream-slots.js';

/** The `Retry-After` of a refusal. It is constant, because the service cannot know when a stream will end. */
const RETRY_AFTER_SECONDS = 5;

/** Limits how many answers are streamed at once (docs/api.md 2.10). A stream holds its slot until it ends or fails. */
@Injectable()
export class StreamLimitInterceptor implements NestInterceptor {
  constructor(private readonly slots: StreamSlots) {}

  /** @throws Refusal when no slot is free. */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { caller, method } = request;
    if (!caller || method === 'HEAD' || !prefersNdjson(request)) return next.handle();
    const response = http.getResponse<Response>();
    const release = this.slots.tryAcquire(caller.accountId);
    if (release) return handOn(response, next, release);
    response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
    throw new Refusal('too-many-streams');
  }
}
