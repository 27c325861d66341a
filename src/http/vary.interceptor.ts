import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';

/** Adds `Accept` and `Accept-Encoding` to `Vary`, because they choose the form of an answer (docs/api.md 1.1, 11.4). */
@Injectable()
export class VaryByFormInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    context.switchToHttp().getResponse<Response>().vary('Accept, Accept-Encoding');
    return next.handle();
  }
}
