import type { EventLog } from '../event-log/event-log.js';

/** By which a log is told from every other, as it is written into read models. It is asked for once. */
export class LogIdentity {
  #known: string | undefined;

  constructor(private readonly log: Pick<EventLog, 'identity'>) {}

  /** The identity of the log; empty while the log is. */
  async known(): Promise<string> {
    if (this.#known === undefined) {
      const first = await this.log.identity();
      if (first) this.#known = `${first.position} ${first.id}`;
    }
    return this.#known ?? '';
  }
}
