import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Budget, TooLong } from './budget.js';
import type { Mutex } from './mutex.js';

/** Characters of documents that are read until others have a turn of the event loop. */
const READ_IN_A_TURN = 100_000;
/** Characters of large documents that a read may take at once. What takes more than that waits, and is read alone. */
const READ_AT_ONCE = 1_000_000;
/**
 * What passes between reads that waited, at least, and as a multiple of what the last one took: a request takes several
 * turns, and a long read must not be in each.
 */
const SHORTEST_REST_MS = 50;
const RESTS = 4;

/** What is read. */
export interface SnapshotSource {
  /** Done before each snapshot, which must not write. */
  prepare(): Promise<void>;
  begin(): void;
  end(): void;
  /** How many characters of documents were read so far. */
  charactersRead(): number;
}

/** Reads something, within a budget if there is one. */
type Read<Result> = (budget: Budget | undefined) => Promise<Result>;

interface Asked {
  /** Tells whoever asked for it; rejects when it is too long. */
  readonly read: Read<void>;
  readonly reject: (fault: unknown) => void;
}

/**
 * Reads that each see one state. Those that are asked for at once share a snapshot. A read of many large documents begins
 * again later, so that small ones do not wait behind a row of such.
 */
export class Snapshots {
  readonly #asked: Asked[] = [];
  #reads = false;
  #takesNewest = false;
  readonly #waiting: Asked[] = [];
  #rests = false;
  #restMs = SHORTEST_REST_MS;

  /** @param turns what else must not be done within a snapshot. */
  constructor(
    private readonly turns: Mutex,
    private readonly source: SnapshotSource,
  ) {}

  run<Result>(read: Read<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const asked: Asked = {
        reject,
        read: async (budget) => {
          try {
            resolve(await read(budget));
          } catch (error) {
            if (error instanceof TooLong) throw error;
            asked.reject(error);
          }
        },
      };
      this.#asked.push(asked);
      if (!this.#reads) void this.#readAll();
    });
  }

  /** Until nothing is asked for. Writes come between the turns. */
  async #readAll(): Promise<void> {
    this.#reads = true;
    while (this.#asked.length > 0) {
      await this.turns.run(() => this.#unlessBroken(this.#asked, () => this.#readSome()));
      // Not within the snapshot, in which single reads of others would see its state.
      if (this.#asked.length > 0) await nextTurn();
    }
    this.#reads = false;
    this.#readWaitingLater();
  }

  #readWaitingLater(): void {
    if (this.#rests || this.#waiting.length === 0) return;
    this.#rests = true;
    const readOne = async (): Promise<void> => {
      this.#rests = false;
      const begun = performance.now();
      const one = this.#waiting.splice(0, 1);
      await this.#unlessBroken(one, () => this.#inSnapshot(() => one.shift()?.read(undefined)));
      this.#restMs = Math.max(SHORTEST_REST_MS, RESTS * (performance.now() - begun));
      this.#readWaitingLater();
    };
    void delay(this.#restMs).then(() => this.turns.run(readOne));
  }

  /** As many as one turn of the event loop is for. */
  async #readSome(): Promise<void> {
    const before = this.source.charactersRead();
    await this.#inSnapshot(async () => {
      for (let one = this.#next(); one; one = this.#next()) {
        try {
          await one.read(new Budget(READ_AT_ONCE));
        } catch {
          this.#waiting.push(one);
        }
        if (this.source.charactersRead() - before > READ_IN_A_TURN) return;
      }
    });
  }

  /** The oldest and the newest by turns: nobody waits for all of a row that was asked for at once. */
  #next(): Asked | undefined {
    this.#takesNewest = !this.#takesNewest;
    return this.#takesNewest ? this.#asked.pop() : this.#asked.shift();
  }

  async #inSnapshot(read: () => Promise<void> | undefined): Promise<void> {
    this.source.begin();
    try {
      await read();
    } finally {
      this.source.end();
    }
  }

  /** Refuses those that are left when the store fails. */
  async #unlessBroken(asked: Asked[], read: () => Promise<void>): Promise<void> {
    try {
      await this.source.prepare();
      await read();
    } catch (error) {
      for (const { reject } of asked.splice(0)) reject(error);
    }
  }
}
