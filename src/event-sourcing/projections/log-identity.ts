import type { EventLog } from '../event-log/event-log.js';

/** The identity that distinguishes a log from all other logs: its first event. Read models store it. Once known, the identity is not read again. */
export class LogIdentity {
  #known: string | undefined;

  constructor(private readonly log: Pick<EventLog, 'identity'>) {}

  /** Returns the identity of the log; an empty string while the log is empty. */
  async known(): Promise<string> {
    if (this.#known === undefined) {
      const first = await this.log.identity();
      if (first) this.#known = `${first.position} ${first.id}`;
    }
    return this.#known ?? '';
  }
}
