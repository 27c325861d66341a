import type { EventLog } from '../event-log/event-log.js';
import { START } from '../kernel/position.js';

/** By which a log is told from every other: an event at a known place. */
export class LogIdentity {
  #known: string | undefined;

  constructor(private readonly log: EventLog) {}

  /** The identity of the log; empty while the log is. */
  async known(): Promise<string> {
    this.#known ??= await firstEventOf(this.log);
    return this.#known ?? '';
  }
}

async function firstEventOf(log: EventLog): Promise<string | undefined> {
  for await (const { events } of log.readAll(START)) {
    const [first] = events;
    if (first) return `${first.position} ${first.id}`;
  }
  return undefined;
}
