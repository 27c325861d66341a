import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { FairSemaphore } from '../../event-sourcing/waiting/fair-semaphore.js';
import type { InParts } from './domain/in-parts.js';

/** Works on one report at a time, accounts in turn, so that large ones hold up no other request. */
@Injectable()
export class ReportTurns {
  readonly #turns = new FairSemaphore(1);

  /** Does some work on a report of an account, with a turn of the event loop before each part. */
  run<Result>(accountId: string, work: InParts<Result>): Promise<Result> {
    return this.#turns.run(accountId, async () => {
      for (;;) {
        await nextTurn();
        const part = work.next();
        if (part.done === true) return part.value;
      }
    });
  }
}
