import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { FairSemaphore } from '../../event-sourcing/waiting/fair-semaphore.js';
import type { InParts } from './domain/in-parts.js';

/**
 * Works on one report at a time in each step, accounts in turn, so that large ones hold up no other
 * request. As steps do not wait for each other, reports wait before the first one, as bytes: every
 * garbage collection would copy the many objects of parsed ones.
 */
@Injectable()
export class ReportTurns {
  readonly #turns = {
    read: new FairSemaphore(1),
    hash: new FairSemaphore(1),
    sum: new FairSemaphore(1),
  };
  /** Steps take turns in it, so that only one part is done in a turn of the event loop. */
  readonly #parts = new FairSemaphore(1);

  /** Does a step for a report of an account, with a turn of the event loop before each part. */
  run<Result>(
    step: 'read' | 'hash' | 'sum',
    accountId: string,
    work: InParts<Result>,
  ): Promise<Result> {
    return this.#turns[step].run(accountId, async () => {
      for (;;) {
        const part = await this.#parts.run(step, async () => {
          await nextTurn();
          return work.next();
        });
        if (part.done === true) return part.value;
      }
    });
  }
}
