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

/** The most that waits of a subject, whose limit may be changed again and again. */
const MOST_OF_SUBJECT = 4;

/** The kinds of subjects in the order in which their events are written. */
const KINDS = SUBJECT_KINDS.toReversed();

const ORIGIN: Origin = {
  actor: { type: 'system', id: 'limits', user_id: null },
  requestId: null,
};

/**
 * The thresholds of an account whose events are not written, the oldest first, by rank: those that
 * reports reached by kind, and then those that reads found by kind.
 */
type Line = readonly Set<LimitReached>[];

type Observer = (reached: LimitReached) => void;

/**
 * Writes an event for each limit that a spending has reached, once for each name, whoever else
 * writes it too (docs/api.md 11.5). Nobody waits for it. What fails is tried again.
 */
@Injectable()
export class LimitNotices implements BeforeApplicationShutdown {
  readonly #logger = new Logger('limits');
  readonly #lines = new Map<string, Line>();
  readonly #ofSubjects = new Map<Subject, readonly LimitReached[]>();
  readonly #appends = new FairSemaphore(APPENDS_AT_ONCE);
  /** The thresholds whose writing failed, and that were neither written nor forgotten since. */
  readonly #failed = new Set<LimitReached>();
  readonly #stop = new AbortController();
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
    const before = this.#ofSubjects.get(subject) ?? [];
    for (const oldest of before.slice(0, 1 - MOST_OF_SUBJECT)) this.#remove(oldest);
    this.#ofSubjects.set(subject, [...before, reached].slice(-MOST_OF_SUBJECT));
    const known = this.#lines.get(accountId);
    const line = known ?? [...KINDS, ...KINDS].map(() => new Set<LimitReached>());
    line[KINDS.indexOf(kind) + (isReported ? 0 : KINDS.length)]?.add(reached);
    if (known) return;
    this.#lines.set(accountId, line);
    void this.#writeAll(accountId, line);
  }

  /** Writes nothing more of a subject, whose spending is no longer in memory. */
  forget(subject: Subject): void {
    for (const reached of this.#ofSubjects.get(subject) ?? []) this.#remove(reached);
  }

  #remove(reached: LimitReached): void {
    const { accountId, subject } = reached;
    this.#failed.delete(reached);
    for (const rank of this.#lines.get(accountId) ?? []) rank.delete(reached);
    const left = this.#ofSubjects.get(subject)?.filter((other) => other !== reached) ?? [];
    if (left.length > 0) this.#ofSubjects.set(subject, left);
    else this.#ofSubjects.delete(subject);
  }

  async #writeAll(accountId: string, line: Line): Promise<void> {
    // All that a report reaches is in the line before the first of it is chosen.
    await nextTurn();
    while (firstOf(line) && !this.#stop.signal.aborted)
      await this.#appends.run(accountId, () => this.#writeFirst(accountId, line));
    this.#lines.delete(accountId);
  }

  async #writeFirst(accountId: string, line: Line): Promise<void> {
    const reached = firstOf(line);
    if (!reached || this.#stop.signal.aborted) return;
    this.#appends.rest(accountId, ACCOUNT_RESTS_MS);
    try {
      await this.#write(reached);
      this.#remove(reached);
    } catch (error) {
      if (error instanceof Unreadable) {
        // A newer build has stored the event, as the stream has no others.
        this.#remove(reached);
        return;
      }
      this.#noteFailure(error, reached, line);
      await pause(FAILURE_RESTS_MS, this.#stop.signal);
    }
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
  #noteFailure(error: unknown, reached: LimitReached, line: Line): void {
    const rank = line.find((waiting) => waiting.delete(reached));
    if (!rank || this.#stop.signal.aborted) return;
    rank.add(reached);
    if (this.#failed.size === 0) {
      const msg = 'an event of a limit cannot be written, and is tried again';
      this.#logger.error({ msg, err: error });
    }
    this.#failed.add(reached);
  }
}

function firstOf(line: Line): LimitReached | undefined {
  for (const rank of line) for (const reached of rank) return reached;
  return undefined;
}
