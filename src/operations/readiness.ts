import { Inject, Injectable } from '@nestjs/common';
import { EVENT_LOG, type EventLog } from '../event-log/event-log.js';
import { messageOf } from '../kernel/errors.js';
import { Projections } from '../projections/projections.js';
import { READ_STORE, type ReadStore } from '../read-store/read-store.js';
import { promptly } from './promptly.js';

const PROBLEMS = { idle: 'not started', 'catching-up': 'catching up' };

/** One thing that keeps the service from serving every route. */
export interface Obstacle {
  readonly part: string;
  readonly problem: string;
}

const STOPPING: Obstacle[] = [{ part: 'process', problem: 'stopping' }];

/** Whether the service can serve every route, and what is missing if not. */
@Injectable()
export class Readiness {
  #withdrawn = false;

  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  /** Not ready from here on, however well everything is: the process is about to stop. */
  withdraw(): void {
    this.#withdrawn = true;
  }

  async obstacles(): Promise<Obstacle[]> {
    const obstacles = await this.probe();
    return obstacles();
  }

  /** Asks what takes a while to answer. @returns what says all that is missing when it is called. */
  async probe(): Promise<() => Obstacle[]> {
    if (this.#withdrawn) return () => STOPPING;
    const parts = await Promise.all([
      probe('event log', () => this.log.head()),
      probe('read store', () => this.store.ping()),
    ]);
    return () => (this.#withdrawn ? STOPPING : [...parts.flat(), ...this.#behind()]);
  }

  #behind(): Obstacle[] {
    return this.projections.all.flatMap(({ projection: { name }, state, fault }) => {
      if (state === 'live') return [];
      const problem = state === 'stuck' ? `stuck: ${messageOf(fault)}` : PROBLEMS[state];
      return [{ part: `projection ${name}`, problem }];
    });
  }
}

async function probe(part: string, check: () => Promise<unknown>): Promise<Obstacle[]> {
  try {
    await promptly(check());
    return [];
  } catch (error) {
    return [{ part, problem: messageOf(error) }];
  }
}
