import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';

/** Adds to `Vary` the request headers that choose the form of an answer (docs/api.md 1.1, 11.4). */
@Injectable()
export class VaryByFormInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    context.switchToHttp().getResponse<Response>().vary('Accept, Accept-Encoding');
    return next.handle();
  }
}
