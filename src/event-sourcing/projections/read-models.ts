import type { EventLog } from '../event-log/event-log.js';
import { Unavailable } from '../../kernel/errors.js';
import { inTime } from '../waiting/in-time.js';
import type { Position } from '../../kernel/position.js';
import { SharedRead } from '../waiting/shared-read.js';
import { DroppedNamespaceError, type Namespace, type View } from '../read-store/read-store.js';
import { Lag } from './lag.js';
import { Progress } from './progress.js';
import type { ReadSide } from './read-side.js';
import { parkedAccounts, type ReadSideNews, type Standing, UNKNOWN } from './standing.js';

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
  /** Makes a driver, which calls `report` with news of its standing. */
  readonly makeDriver: (report: (news: Partial<Standing>) => void) => ReadSideDriver;
  readonly tell: (news: ReadSideNews) => void;
}

/** A callback that receives, after each wait for earlier writes, how long the wait took and whether it succeeded. */
export type WaitObserver = (seconds: number, settled: boolean) => void;

/** Returns the position of the last event that the documents of an account may depend on, at the call or later. */
export type OwnEnd = (accountId: string) => Promise<Position>;

/** The least time-out of `reached`, which throws after the time-out. The time-out of `settled` may be shorter. */
const LEAST_PATIENCE_MS = 2_000;

class LateHeadError extends Error {}

/** The read models of a read side as this thread knows and reads them, whichever thread or process folds them. */
export class ReadModels {
  readonly progress: Progress;
  readonly lag = new Lag();
  /** Resolves when the read side has caught up with the log at least once. */
  readonly caughtUp: Promise<void>;
  readonly #driver: ReadSideDriver;
  readonly #head: SharedRead<Position>;
  #announceCaughtUp = (): void => undefined;
  #standing = UNKNOWN;
  #namespace: Namespace | undefined;
  /** The kind of the fault that was reported last; null once the read side is live again. */
  #told: string | null = null;
  #isStarted = false;
  #observer: WaitObserver | undefined;
  #onLost = (): void => undefined;
  #ownEnd: OwnEnd | undefined;

  constructor(
    private readonly readSide: ReadSide,
    private readonly options: ReadModelsOptions,
  ) {
    this.progress = new Progress((position, timeoutMs) => this.#driver.hurry(position, timeoutMs));
    this.caughtUp = new Promise((resolve) => (this.#announceCaughtUp = resolve));
    this.#head = new SharedRead(async () => {
      const head = await options.log.head(this.progress.position);
      this.lag.saw(head);
      return head;
    });
    this.#driver = options.makeDriver((news) => this.#follow(news));
  }

  get name(): string {
    return this.readSide.name;
  }

  get standing(): Standing {
    return this.#standing;
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

  observe(observer: WaitObserver): void {
    this.#observer = observer;
  }

  /** Calls `listener` when it shows that the documents were dropped, perhaps in part, perhaps a while before. */
  onLost(listener: () => void): void {
    this.#onLost = listener;
  }

  /** Lets the reads of an account wait for its own events alone, not for those of all accounts. */
  waitForOwn(ownEnd: OwnEnd): void {
    this.#ownEnd = ownEnd;
  }

  /**
   * Waits until the read models have reached the head that the log had at the call or later. One time-out covers asking
   * for the head and the wait. After the time-out, the caller reads what is folded already.
   * @param accountId the account that is read, if it is a single one.
   * @returns whether they reached the head in time.
   */
  settled(accountId: string | null = null): Promise<boolean> {
    const ownEnd = accountId === null ? undefined : this.#ownEnd?.(accountId);
    return this.#waitFor(ownEnd ?? this.#head.read(), this.options.timeoutMs);
  }

  /**
   * Waits until the read models have reached the head of the log, for callers that must not act on an older state. The
   * time-out is 2 s at least.
   * @throws Unavailable when they do not reach the head in time.
   */
  async reached(): Promise<void> {
    const patienceMs = Math.max(this.options.timeoutMs, LEAST_PATIENCE_MS);
    if (await this.#waitFor(this.#head.read(), patienceMs)) return;
    throw new Unavailable(`read side ${this.name}`, 'it is behind the event log');
  }

  /**
   * Reads one state of the generation that serves. `read` may run again.
   * @param reader the name of a reader that takes turns with other readers.
   * @throws Unavailable when the store has lost writes or is damaged, and when no generation serves yet.
   */
  async read<Result>(read: (view: View) => Promise<Result>, reader?: string): Promise<Result> {
    try {
      return await this.#readServing(read, reader);
    } catch (error) {
      if (!(error instanceof DroppedNamespaceError)) throw error;
      this.#onLost();
      // Another process may have filled the namespace again. No view gives less than was seen before.
      await this.#namespace?.checkpoint();
      return this.#readServing(read, reader);
    }
  }

  async #readServing<Result>(
    read: (view: View) => Promise<Result>,
    reader: string | undefined,
  ): Promise<Result> {
    const { position: least } = this.#standing;
    const namespace = this.#namespace;
    if (!namespace)
      throw new Unavailable(`read side ${this.name}`, 'none of its generations serves yet');
    return namespace.read((view) => {
      if (view.checkpoint >= least) return read(view);
      throw new Unavailable('read store', 'it lacks data that was written to it');
    }, reader);
  }

  async #waitFor(end: Promise<Position>, timeoutMs: number): Promise<boolean> {
    const began = performance.now();
    const awaited = await within(timeoutMs, end);
    const left = timeoutMs - (performance.now() - began);
    const isSettled = awaited !== undefined && (await this.progress.waitFor(awaited, left));
    this.#observer?.((performance.now() - began) / 1_000, isSettled);
    return isSettled;
  }

  /** Adopts the news of the driver, and tells the operator and the readers what has changed. */
  #follow(news: Partial<Standing>): void {
    const before = this.#standing;
    this.#standing = { ...before, ...news };
    const { generation, position, state } = this.#standing;
    if (generation !== before.generation) {
      void this.#namespace?.close();
      this.#namespace = generation === null ? undefined : this.options.open(generation);
      if (before.generation !== null) {
        this.#onLost();
        const dropped = {
          kind: 'degraded',
          problem: 'it was dropped, and is folded anew',
        } as const;
        this.options.tell(generation === null ? dropped : { kind: 'switched', generation });
      }
    }
    this.#tellOf(this.#standing, before);
    this.lag.movedTo(position);
    if (position !== this.progress.position) this.progress.moveTo(position);
    if (generation !== null && state === 'live') this.#announceCaughtUp();
  }

  /** Tells the operator what has changed. A fault that recurs, perhaps for hours, is told only once. */
  #tellOf(standing: Standing, before: Standing): void {
    const { state, fault: error, parked } = standing;
    if (state === 'stuck' || state === 'stalled') {
      const kind = kindOfFault(standing);
      if (this.#told !== kind) this.options.tell({ kind: state, error });
      this.#told = kind;
    } else if (state === 'live' && this.#told !== null) {
      this.#told = null;
      this.options.tell({ kind: 'goes-on' });
    }
    if (parked > 0 && parked !== before.parked)
      this.options.tell({ kind: 'degraded', problem: parkedAccounts(parked) });
  }
}

async function within(timeoutMs: number, end: Promise<Position>): Promise<Position | undefined> {
  try {
    return await inTime(end, timeoutMs, () => new LateHeadError());
  } catch (error) {
    if (error instanceof LateHeadError) return undefined;
    throw error;
  }
}

/** Returns the part of a fault that stays the same while it recurs. Times and positions in its message differ. */
function kindOfFault({ state, fault }: Standing): string {
  if (state === 'stalled') return state;
  const part = fault instanceof Error && 'part' in fault ? fault.part : undefined;
  return typeof part === 'string' ? part : String(fault);
}
