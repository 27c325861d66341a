import { type Position, START } from '../../kernel/position.js';

/** The least time between two ends of the log that are kept, because readers may see very many. */
const APART_MS = 100;
/** The most ends that are kept. Beyond that, every second end is removed, but not the oldest. */
const MOST_KEPT = 1_000;
/** A checkpoint that has not moved for so long stands still. */
const RUNS_WITHIN_MS = 5_000;

interface Seen {
  readonly end: Position;
  /** The time when the process saw this end, by `performance.now()`. */
  readonly at: number;
}

/**
 * For how long the read models have been out of date, by this process's clock: since it knew of an
 * event that they have not reached. It notes ends of the log that others see, and asks for none.
 */
export class Lag {
  /** The ends of the log that the checkpoint has not reached, the oldest first. */
  #ahead: Seen[] = [];
  #checkpoint = START;
  #movedAt = -Infinity;

  get ms(): number {
    const [oldest] = this.#ahead;
    return oldest ? performance.now() - oldest.at : 0;
  }

  /** The last of the ends that were seen longer than `ms` ago; undefined when all are reached. */
  overdue(ms: number): Position | undefined {
    const before = performance.now() - ms;
    return this.#ahead.findLast(({ at }) => at < before)?.end;
  }

  /** Whether the checkpoint moved a short time ago, so that a fold that is late will catch up. */
  get isFolding(): boolean {
    return performance.now() - this.#movedAt < RUNS_WITHIN_MS;
  }

  noteEnd(end: Position): void {
    const newest = this.#ahead.at(-1);
    const at = performance.now();
    if (end <= (newest?.end ?? this.#checkpoint)) return;
    if (newest && at - newest.at < APART_MS) return;
    this.#ahead.push({ end, at });
    if (this.#ahead.length > MOST_KEPT)
      this.#ahead = this.#ahead.filter((_, index) => index % 2 === 0);
  }

  /** Notes the checkpoint, which goes back when read models were lost. */
  noteCheckpoint(checkpoint: Position): void {
    if (checkpoint === this.#checkpoint) return;
    this.#checkpoint = checkpoint;
    this.#movedAt = performance.now();
    this.#ahead = this.#ahead.filter(({ end }) => end > checkpoint);
  }
}
