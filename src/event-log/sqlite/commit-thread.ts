import { Worker } from 'node:worker_threads';
import type { Append, Committed } from './commit.js';

/** It holds a batch of appends at most; what it may not have stays with the service. */
const LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 };

interface Waiting {
  resolve(committed: Committed): void;
  reject(error: Error): void;
}

/** A thread that writes to the log's database, so that no request but those that write wait for the disk. */
export class CommitThread {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #waiting: Waiting | undefined;
  #fault: Error | undefined;

  /** @param file path of the database, which exists. */
  constructor(file: string) {
    const program = new URL('./commit-worker.js', import.meta.url);
    this.#worker = new Worker(program, {
      workerData: file,
      resourceLimits: LIMITS,
      name: 'commit',
    });
    this.#worker.on('message', (committed: Committed) => {
      this.#settle()?.resolve(committed);
    });
    this.#worker.on('error', (error: Error) => {
      this.#fault = error;
    });
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#fault ??= new Error('the thread that commits has ended');
        this.#settle()?.reject(this.#fault);
        resolve();
      });
    });
    // A program that waits for nothing else may end.
    this.#worker.unref();
  }

  /**
   * Commits one batch at a time.
   * @throws whatever ended the thread; whether anything was written is not known then, and the thread is of no more use.
   */
  commit(appends: readonly Append[]): Promise<Committed> {
    return new Promise((resolve, reject) => {
      if (this.#fault) {
        reject(this.#fault);
        return;
      }
      this.#waiting = { resolve, reject };
      this.#worker.ref();
      this.#worker.postMessage(appends);
    });
  }

  /** Resolves when the database is closed and the thread has ended. */
  close(): Promise<void> {
    this.#worker.ref();
    this.#worker.postMessage('close');
    return this.#ended;
  }

  #settle(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#worker.unref();
    return waiting;
  }
}
