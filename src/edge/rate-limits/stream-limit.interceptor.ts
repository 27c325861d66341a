import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { HttpRefusal } from '../http/answers/http-refusal.js';
import { prefersNdjson } from '../http/answers/ndjson.js';
import { holdSlot, KeyedSemaphore, type Release } from './keyed-semaphore.js';

/** The header is constant, because the service cannot know when a stream will end. */
const RETRY_LATER = { 'Retry-After': '5' };

export interface StreamLimit {
  readonly ofAccount: number;
  readonly inAll: number;
}

export const STREAM_LIMIT = Symbol('StreamLimit');

@Injectable()
export class StreamSlots {
  readonly #byAccount: KeyedSemaphore;
  readonly #all: KeyedSemaphore;

  constructor(@Inject(STREAM_LIMIT) { ofAccount, inAll }: StreamLimit) {
    this.#byAccount = new KeyedSemaphore(ofAccount);
    this.#all = new KeyedSemaphore(inAll);
  }

  /** Takes a slot for a stream. @returns undefined when no slot is free. */
  tryAcquire(account: string): Release | undefined {
    const ofAccount = this.#byAccount.tryAcquire(account);
    const ofAll = ofAccount && this.#all.tryAcquire('all');
    if (!ofAll) {
      ofAccount?.();
      return undefined;
    }
    return () => {
      ofAccount();
      ofAll();
    };
  }
}

/**
 * Decides whether an answer is a stream, and limits how many are at once (docs/api.md 2.10). A
 * stream holds its slot until it ends or fails.
 */
@Injectable()
export class StreamLimitInterceptor implements NestInterceptor {
  constructor(private readonly slots: StreamSlots) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { caller, method } = request;
    request.isStreamed = prefersNdjson(request);
    if (!caller || method === 'HEAD' || !request.isStreamed) return next.handle();
    const response = http.getResponse<Response>();
    const release = this.slots.tryAcquire(caller.accountId);
    if (release) return next.handle().pipe(finalize(holdSlot(release, response)));
    throw new HttpRefusal('too-many-streams', { headers: RETRY_LATER });
  }
}
