import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchError, type Observable } from 'rxjs';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { Refusal } from '../../kernel/errors.js';
import type { FixedWindow, WindowLimit } from '../../read-store/fixed-windows.js';
import { InsuredWindows } from './insured-windows.js';

/** So many creations in so many seconds for each management key, or no limit. */
export type KeyCreationLimit = WindowLimit | 'off';

export const KEY_CREATION_LIMIT = Symbol('KeyCreationLimit');

/**
 * Limits how many keys a management key creates in a window (docs/api.md 3.6) and says on every answer what
 * is left. A request that is refused is given back.
 */
@Injectable()
export class KeyCreationLimitInterceptor implements NestInterceptor {
  constructor(
    @Inject(KEY_CREATION_LIMIT) private readonly limit: KeyCreationLimit,
    @Inject(InsuredWindows) private readonly windows: InsuredWindows,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { limit } = this;
    if (limit === 'off') return next.handle();
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    const key = http.getRequest<Request>().caller?.keyHash ?? '';
    const use = await this.windows.use(key, limit, this.clock.now());
    this.#announce(response, limit, use.window);
    if (!use.granted) {
      response.setHeader('Retry-After', this.#secondsLeft(limit, use.window));
      throw new Refusal('rate-limited');
    }
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        // Of anything else it is not known whether a key was created.
        const left = error instanceof Refusal ? await use.giveBack() : undefined;
        if (left) this.#announce(response, limit, left);
        throw error;
      }),
    );
  }

  #announce(response: Response, limit: WindowLimit, window: FixedWindow): void {
    response.setHeader('RateLimit-Limit', limit.count);
    response.setHeader('RateLimit-Remaining', Math.max(0, limit.count - window.used));
    response.setHeader('RateLimit-Reset', this.#secondsLeft(limit, window));
  }

  /** At most a whole window: the clock of the replica that began it may be ahead. */
  #secondsLeft({ seconds }: WindowLimit, { endsAt }: FixedWindow): number {
    const left = Math.ceil((endsAt.getTime() - this.clock.now().getTime()) / 1_000);
    return Math.min(seconds, Math.max(1, left));
  }
}
