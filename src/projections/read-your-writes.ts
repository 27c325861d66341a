import type { EventLog } from '../event-log/event-log.js';
import type { Position } from '../kernel/position.js';
import type { Projections } from './projections.js';
import { SharedRead } from './shared-read.js';

/** Makes a read see every write that was answered before it began, whichever process answered it. */
export class ReadYourWrites {
  readonly #head: SharedRead<Position>;

  constructor(
    log: EventLog,
    private readonly projections: Projections,
    private readonly timeoutMs: number,
  ) {
    this.#head = new SharedRead(() => log.head());
  }

  /**
   * Waits until a projection has passed the log's head as it was at the call or later, but no longer than the
   * configured time-out: then the caller reads what there is.
   * @returns the position that a read made now reflects at least.
   */
  async settled(projection: string): Promise<Position> {
    const { progress } = this.projections.get(projection);
    const head = await this.#head.read();
    await progress.waitFor(head, this.timeoutMs);
    return progress.position;
  }
}
