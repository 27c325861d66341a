import type { EventLog, LogIdentity as FirstEvent } from '../event-log/event-log.js';

/** The identity of a log with this first event, as it stands in read models. */
export function identityOf({ position, id }: FirstEvent): string {
  return `${position} ${id}`;
}

/** By which a log is told from every other, as it is written into read models. It is asked for once. */
export class LogIdentity {
  #known: string | undefined;

  constructor(private readonly log: Pick<EventLog, 'identity'>) {}

  /** The identity of the log; empty while the log is. */
  async known(): Promise<string> {
    if (this.#known === undefined) {
      const first = await this.log.identity();
      if (first) this.#known = identityOf(first);
    }
    return this.#known ?? '';
  }
}
