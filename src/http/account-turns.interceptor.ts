import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Observable, of } from 'rxjs';
import { type GiveBack, Turns } from './turns.js';
import { handOn } from './until-ended.js';

/** Requests of an account that are worked on at once. */
const MOST_AT_ONCE = 64;

declare module 'express' {
  interface Request {
    /** Gives the place back that the request has among those of its account. */
    leaveTurn?: GiveBack;
  }
}

/**
 * Works on so many requests of an account at once; the others of that account wait in order (docs/api.md 2.10). So a
 * thousand connections of one account cost others no more than these.
 */
export class AccountTurnsInterceptor implements NestInterceptor {
  readonly #turns = new Turns(MOST_AT_ONCE);

  intercept(
    context: ExecutionContext,
    next: CallHandler,
  ): Observable<unknown> | Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const account = request.caller?.accountId;
    if (account === undefined) return next.handle();
    const response = http.getResponse<Response>();
    const giveBack = this.#turns.take(account);
    if (giveBack) return work(request, response, next, giveBack);
    return this.#waited(account, response).then((place) =>
      place ? work(request, response, next, place) : of(undefined),
    );
  }

  /** @returns undefined when the caller left. */
  #waited(account: string, response: Response): Promise<GiveBack | undefined> {
    if (response.destroyed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const gone = (): void => {
        leave();
        resolve(undefined);
      };
      const leave = this.#turns.wait(account, (giveBack) => {
        response.off('close', gone);
        resolve(giveBack);
      });
      response.once('close', gone);
    });
  }
}

function work(
  request: Request,
  response: Response,
  next: CallHandler,
  giveBack: GiveBack,
): Observable<unknown> {
  // Nobody is there to be answered any more.
  if (response.destroyed) {
    giveBack();
    return of(undefined);
  }
  request.leaveTurn = giveBack;
  return handOn(response, next, giveBack);
}
