import { Backoff } from '../../../kernel/backoff.js';
import { inTime } from '../../../kernel/in-time.js';
import type { WriteAheadLog } from '../write-ahead-log.js';
import type { HeldReport } from './serve-wal-checkpointer.js';
import { writeAheadBytes } from './wal-checkpointer.js';

const FIRST_BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 10_000;
const STOPPED_WITHIN_MS = 5_000;

/** A thread that runs `serveWalCheckpointer`, such as a `Worker` of Node. */
export interface WalCheckpointThread {
  on(event: 'message', heard: (report: HeldReport) => void): unknown;
  on(event: 'error', failed: (fault: unknown) => void): unknown;
  on(event: 'exit', ended: (code: number) => void): unknown;
  postMessage(request: 'stop'): void;
}

export interface WriteAheadObserver {
  /** Called when a reader has blocked emptying the write-ahead log for long. @param bytes the length of the log. */
  held(bytes: number): void;
  /**
   * Called when the thread ended. Another thread starts after a pause, which grows each time. Until then, commits
   * checkpoint the log when it is long.
   */
  lost(fault: unknown): void;
}

/** The write-ahead log of the embedded log, and the thread that checkpoints it. */
export class CheckpointedWal implements WriteAheadLog {
  #thread: WalCheckpointThread | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  readonly #backoff = new Backoff(FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS);
  #restart: NodeJS.Timeout | undefined;
  #stopping = false;

  /** @param begin starts a thread. Without `begin`, commits checkpoint the log. */
  constructor(
    private readonly file: string,
    private readonly begin: (() => WalCheckpointThread) | undefined,
    private readonly observer: WriteAheadObserver,
  ) {}

  /** The length of the write-ahead log; 0 when there is none. */
  get bytes(): number {
    return writeAheadBytes(this.file);
  }

  /** Starts the thread. The event log must be open, because opening creates its file. */
  start(): void {
    if (this.#stopping || !this.begin) return;
    const thread = this.begin();
    this.#thread = thread;
    let fault: unknown;
    thread.on('message', ({ bytes }) => this.observer.held(bytes));
    thread.on('error', (error) => (fault = error));
    this.#ended = new Promise<number>((resolve) => thread.on('exit', resolve)).then((code) => {
      this.#thread = undefined;
      if (this.#stopping) return;
      this.observer.lost(fault ?? new Error(`its thread ended with code ${code}`));
      this.#restart = setTimeout(() => this.start(), this.#backoff.next()).unref();
    });
  }

  /** Stops the thread. Call this before the event log is closed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    this.#thread?.postMessage('stop');
    // Commits that the thread has not checkpointed are checkpointed when the log is closed, or opened again.
    await inTime(this.#ended, STOPPED_WITHIN_MS).catch(() => undefined);
  }
}
