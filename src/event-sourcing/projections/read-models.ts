import { Unavailable } from '../../kernel/errors.js';
import type { Position } from '../../kernel/position.js';
import type { EventLog } from '../event-log/event-log.js';
import {
  DroppedNamespaceError,
  type Namespace,
  type ReadOptions,
  type View,
} from '../read-store/read-store.js';
import { Lag } from './lag.js';
import { Progress } from './progress.js';
import type { ReadSide } from './read-side.js';
import { type ReadSideNotice, ReadSideNotices } from './read-side-notices.js';
import { type ReadSideState, UNKNOWN_STATE } from './read-side-state.js';
import { ReadYourWrites } from './read-your-writes.js';

/** Keeps a read side up to date, in this thread or in a thread of its own. */
export interface ReadSideDriver {
  /** Starts the work in the background. The work goes on until `stop`. */
  start(): void;
  stop(): Promise<void>;
  hurry(position: Position, timeoutMs: number): void;
}

export interface ReadModelsOptions {
  readonly open: (generation: number) => Namespace;
  readonly log: Pick<EventLog, 'head'>;
  readonly timeoutMs: number;
  /** Makes a driver, which calls `report` with what has changed in the state. */
  readonly makeDriver: (report: (changes: Partial<ReadSideState>) => void) => ReadSideDriver;
  readonly notify: (notice: ReadSideNotice) => void;
}

/** The read models of a read side as this thread reads them, whichever process folds them. */
export class ReadModels {
  readonly progress: Progress;
  readonly lag = new Lag();
  readonly wait: ReadYourWrites;
  /** Resolves when the read side has caught up with the log at least once. */
  readonly caughtUp: Promise<void>;
  readonly #driver: ReadSideDriver;
  readonly #notices: ReadSideNotices;
  #announceCaughtUp = (): void => undefined;
  #state = UNKNOWN_STATE;
  #namespace: Namespace | undefined;
  #isStarted = false;
  #onLost = (): void => undefined;

  constructor(
    private readonly readSide: ReadSide,
    private readonly options: ReadModelsOptions,
  ) {
    const { log, timeoutMs, makeDriver, notify } = options;
    this.progress = new Progress((position, withinMs) => this.#driver.hurry(position, withinMs));
    this.wait = new ReadYourWrites(readSide.name, log, this.progress, this.lag, timeoutMs);
    this.caughtUp = new Promise((resolve) => (this.#announceCaughtUp = resolve));
    this.#notices = new ReadSideNotices(notify);
    this.#driver = makeDriver((changes) => this.#adopt(changes));
  }

  get name(): string {
    return this.readSide.name;
  }

  get state(): ReadSideState {
    return this.#state;
  }

  /** Starts the fold in the background. It runs until `stop`. A second call does nothing. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#driver.start();
  }

  async stop(): Promise<void> {
    if (this.#isStarted) await this.#driver.stop();
  }

  /** Calls `listener` when documents turn out to be dropped, perhaps in part or long since. */
  onLost(listener: () => void): void {
    this.#onLost = listener;
  }

  /**
   * Reads one state of the generation that serves. `read` may run again.
   * @throws Unavailable when the store has lost writes or is damaged, or no generation serves.
   */
  async read<Result>(
    read: (view: View) => Promise<Result>,
    options: ReadOptions = {},
  ): Promise<Result> {
    try {
      return await this.#readServing(read, options);
    } catch (error) {
      if (!(error instanceof DroppedNamespaceError)) throw error;
      this.#onLost();
      // Another process may have filled it again. No view gives less than was seen before.
      await this.#namespace?.checkpoint();
      return this.#readServing(read, options);
    }
  }

  async #readServing<Result>(
    read: (view: View) => Promise<Result>,
    options: ReadOptions,
  ): Promise<Result> {
    // If a view shows less than this process has seen, the store lost writes. The position that was
    // seen is noted before the read, because the state goes on while the read waits for its turn.
    const least = this.#state.position;
    const namespace = this.#namespace;
    if (!namespace) throw new Unavailable(`read models of ${this.name}`, 'they are not built yet');
    return namespace.read((view) => {
      if (view.checkpoint >= least) return read(view);
      throw new Unavailable('read store', 'it lacks data that was written to it');
    }, options);
  }

  /** Adopts what the driver reports, and lets the operator and the readers know. */
  #adopt(changes: Partial<ReadSideState>): void {
    const before = this.#state;
    this.#state = { ...before, ...changes };
    const { generation, position, phase } = this.#state;
    if (generation !== before.generation) {
      void this.#namespace?.close();
      this.#namespace = generation === null ? undefined : this.options.open(generation);
      if (before.generation !== null) this.#onLost();
    }
    this.#notices.notifyOf(before, this.#state);
    this.lag.noteCheckpoint(position);
    if (position !== this.progress.position) this.progress.moveTo(position);
    if (generation !== null && phase === 'live') this.#announceCaughtUp();
  }
}
