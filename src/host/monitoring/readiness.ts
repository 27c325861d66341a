import { Inject, Injectable, Logger } from '@nestjs/common';
import { messageOf } from '../../kernel/errors.js';
import { inTime } from '../../event-sourcing/waiting/in-time.js';
import { READ_STORE, type ReadStore } from '../../event-sourcing/read-store/read-store.js';
import { type Ledger, OPEN_LEDGERS } from '../../event-sourcing/ledger.js';

/** How long a probe or a scrape waits for an answer of the log or the read store. */
export const PROBE_TIMEOUT_MS = 1_000;

const PROBLEMS = {
  idle: 'not started',
  'catching-up': 'catching up',
  stalled: 'stalled',
  stuck: 'stuck',
};

export interface Obstacle {
  readonly part: string;
  /** The problem in fixed words, which everybody may see. */
  readonly problem: string;
  /** The problem and its cause, for operators alone: it may have paths, addresses and settings. */
  readonly detail: string;
}

/** The parts of a ledger that probes and scrapes ask. */
export type ObservedLedger = Pick<Ledger, 'log' | 'models'>;

const STOPPING: Obstacle[] = [{ part: 'process', problem: 'stopping', detail: 'stopping' }];

/** Whether the service can serve all of its routes, and the obstacles if it cannot. */
@Injectable()
export class Readiness {
  readonly #logger = new Logger('readiness');
  /** The parts that did not answer the last time they were asked. */
  readonly #silent = new Set<string>();
  #withdrawn = false;

  constructor(
    @Inject(OPEN_LEDGERS) private readonly ledgers: readonly ObservedLedger[],
    @Inject(READ_STORE) private readonly store: ReadStore,
  ) {}

  /** Makes the service not ready from here on, because the process is about to stop. */
  withdraw(): void {
    this.#withdrawn = true;
  }

  /** Asks the logs and the read store, and looks at the read models. */
  async obstacles(): Promise<Obstacle[]> {
    const parts = this.#withdrawn ? [] : await this.#askAll();
    // The process may have begun to stop meanwhile.
    return this.#withdrawn ? STOPPING : [...parts.flat(), ...this.ledgers.flatMap(behind)];
  }

  #askAll(): Promise<Obstacle[][]> {
    return Promise.all([
      ...this.ledgers.map(({ log }) => this.#ask(log.part, () => log.ping())),
      this.#ask('read store', () => this.store.ping()),
    ]);
  }

  /** Asks a part. Logs when it stops answering, and not again until it has answered. */
  async #ask(part: string, check: () => Promise<unknown>): Promise<Obstacle[]> {
    try {
      await inTime(check(), PROBE_TIMEOUT_MS);
      if (this.#silent.delete(part)) this.#logger.log({ msg: `the ${part} answers again` });
      return [];
    } catch (error) {
      if (!this.#silent.has(part)) {
        this.#logger.warn({ msg: `the ${part} is unavailable`, problem: messageOf(error) });
      }
      this.#silent.add(part);
      return [{ part, problem: 'unavailable', detail: messageOf(error) }];
    }
  }
}

function behind({ models }: ObservedLedger): Obstacle[] {
  const { phase, fault } = models.state;
  if (phase === 'live') return [];
  const problem = PROBLEMS[phase];
  const detail = fault ? `${problem}: ${messageOf(fault)}` : problem;
  return [{ part: `read models of ${models.name}`, problem, detail }];
}
