import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import type { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';
import { FairSemaphore } from '../../../event-sourcing/waiting/fair-semaphore.js';
import { pause } from '../../../event-sourcing/waiting/pause.js';
import { Unreadable } from '../../../kernel/errors.js';
import type { Origin } from '../../../kernel/metadata.js';
import { START } from '../../../kernel/position.js';
import { type Subject, SUBJECT_KINDS } from '../../keys/domain/limit.js';
import {
  type LimitReached,
  limitReached,
  limitReachedId,
  reportLimitReached,
} from '../domain/limit-reached.js';

const APPENDS_AT_ONCE = 4;
/** An account gets at most 10 appends a second. */
const ACCOUNT_RESTS_MS = 100;
/** How long an append that failed keeps its place, so that a lost log is asked seldom. */
const FAILURE_RESTS_MS = 1_000;

const CANNOT_WRITE = 'an event of a limit cannot be written, and is tried again';

/** The most that waits of a subject, whose limit may be changed again and again. */
const MOST_OF_SUBJECT = 4;

/** The kinds of subjects in the order in which their events are written. */
const KINDS = SUBJECT_KINDS.toReversed();

const ORIGIN: Origin = {
  actor: { type: 'system', id: 'limits', user_id: null },
  requestId: null,
};

/** The thresholds whose events are not written, those of the subjects that came first before. */
type Rank = Map<Subject, readonly LimitReached[]>;

/** The events of an account that wait: those that reports caused by kind, then those of reads. */
type Line = readonly Rank[];

type Observer = (reached: LimitReached) => void;

/**
 * Writes an event for each limit that a spending has reached, once for each name, whoever else
 * writes it too (docs/api.md 11.5). Nobody waits for it. What fails is tried again.
 */
@Injectable()
export class LimitNotices implements BeforeApplicationShutdown {
  readonly #logger = new Logger('limits');
  readonly #lines = new Map<string, Line>();
  readonly #appends = new FairSemaphore(APPENDS_AT_ONCE);
  readonly #stop = new AbortController();
  /** Whether the last attempt failed. Only the first failure of an outage is logged. */
  #isFailing = false;
  #onWritten: Observer = () => undefined;

  constructor(@Inject(MANAGEMENT.runner) private readonly runner: Pick<DecisionRunner, 'run'>) {}

  observe(onWritten: Observer): void {
    this.#onWritten = onWritten;
  }

  /** Begins no more appends. What is not written is found again when it is next asked about. */
  beforeApplicationShutdown(): void {
    this.#stop.abort();
  }

  /** @param isReported whether a report caused it, and no read found it. */
  add(reached: LimitReached, isReported: boolean): void {
    const { accountId, subject, kind } = reached;
    const known = this.#lines.get(accountId);
    const line = known ?? [...KINDS, ...KINDS].map((): Rank => new Map());
    const rank = line[KINDS.indexOf(kind) + (isReported ? 0 : KINDS.length)];
    const before = rank?.get(subject) ?? [];
    rank?.set(subject, [...before, reached].slice(-MOST_OF_SUBJECT));
    if (known) return;
    this.#lines.set(accountId, line);
    void this.#writeAll(accountId, line);
  }

  /** Writes nothing more of a subject, whose spending is no longer in memory. */
  forget(accountId: string, subject: Subject): void {
    for (const rank of this.#lines.get(accountId) ?? []) rank.delete(subject);
  }

  async #writeAll(accountId: string, line: Line): Promise<void> {
    // All that a report reaches is in the line before the first of it is chosen.
    await nextTurn();
    const { signal } = this.#stop;
    while (line.some(({ size }) => size > 0) && !signal.aborted) {
      await this.#appends.run(accountId, async () => {
        if (!signal.aborted) await this.#writeFirst(accountId, line);
      });
    }
    this.#lines.delete(accountId);
  }

  async #writeFirst(accountId: string, line: Line): Promise<void> {
    const rank = line.find(({ size }) => size > 0);
    const [first] = rank?.values() ?? [];
    const [reached] = first ?? [];
    if (!rank || !reached) return;
    this.#appends.rest(accountId, ACCOUNT_RESTS_MS);
    try {
      await this.#write(reached);
      this.#isFailing = false;
    } catch (error) {
      // A newer build may have stored the event, as the stream has no others.
      if (!(error instanceof Unreadable)) return this.#noteFailure(error, rank, reached.subject);
    }
    const left = rank.get(reached.subject)?.filter((other) => other !== reached) ?? [];
    if (left.length > 0) rank.set(reached.subject, left);
    else rank.delete(reached.subject);
  }

  async #write(reached: LimitReached): Promise<void> {
    const { position } = await this.runner.run({
      aggregate: limitReached,
      id: limitReachedId(reached),
      accountId: reached.accountId,
      origin: ORIGIN,
      expectNew: true,
      decide: (isStored) => reportLimitReached(isStored, reached),
    });
    if (position !== START) this.#onWritten(reached);
  }

  /** Logs the first failure of an outage. What failed goes behind the others of its rank. */
  async #noteFailure(err: unknown, rank: Rank, subject: Subject): Promise<void> {
    const { signal } = this.#stop;
    const waiting = rank.get(subject);
    rank.delete(subject);
    if (waiting) rank.set(subject, waiting);
    if (!this.#isFailing && !signal.aborted) this.#logger.error({ msg: CANNOT_WRITE, err });
    this.#isFailing = true;
    await pause(FAILURE_RESTS_MS, signal);
  }
}
