import type { EventLog, LogIdentity as FirstEvent } from '../event-log/event-log.js';

/** Returns the identity of a log, made from the first event of the log. Read models store this identity. */
export function identityOf({ position, id }: FirstEvent): string {
  return `${position} ${id}`;
}

/** The identity that distinguishes a log from all other logs. Once known, the identity is not read again. */
export class LogIdentity {
  #known: string | undefined;

  constructor(private readonly log: Pick<EventLog, 'identity'>) {}

  /** Returns the identity of the log; an empty string while the log is empty. */
  async known(): Promise<string> {
    if (this.#known === undefined) {
      const first = await this.log.identity();
      if (first) this.#known = identityOf(first);
    }
    return this.#known ?? '';
  }
}
