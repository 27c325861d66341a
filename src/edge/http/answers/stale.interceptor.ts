import { type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { isRead } from '../../../kernel/read.js';
import { markStale } from './stale.js';

/**
 * Answers with what a query found where a handler returns a `Read`, and marks a late read. Only
 * controllers that read name it, because it would cost each other request 1.5 µs.
 */
export class StaleInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((answer: unknown) => {
        if (!isRead(answer)) return answer;
        markStale(context.switchToHttp().getResponse<Response>(), answer.isLate);
        return answer.found;
      }),
    );
  }
}
