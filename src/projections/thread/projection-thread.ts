import { Backoff } from '../../kernel/backoff.js';
import type { DomainEvent } from '../../kernel/event.js';
import { inTime } from '../../kernel/in-time.js';
import type { ReadStore } from '../../read-store/read-store.js';
import type { Projection } from '../projection.js';
import type { ProjectionObserver } from '../projection-observer.js';
import type { ProjectionDriver } from '../running-projection.js';
import { restored } from './carried-error.js';
import type { ThreadReport, ThreadRequest } from './thread-messages.js';
import { ThreadedProjection } from './threaded-projection.js';

const FIRST_BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 10_000;
/** A thread that lived for so long did not end of what it began with. */
const HEALTHY_AFTER_MS = 60_000;
const STOPPED_WITHIN_MS = 5_000;

/** A thread that runs `serveThread`, as the runtime's `Worker` is one. */
export interface FoldingThread {
  on(event: 'message', heard: (report: ThreadReport) => void): unknown;
  on(event: 'error', failed: (fault: unknown) => void): unknown;
  on(event: 'exit', ended: (code: number) => void): unknown;
  postMessage(request: ThreadRequest): void;
  terminate(): Promise<unknown>;
}

/**
 * Lets a thread of its own keep projections up to date, so that requests do not wait while it folds, sorts an index or
 * takes over a write-ahead log. One that ends is begun anew, ever more slowly, for ever.
 */
export class ProjectionThread implements ProjectionDriver {
  readonly all: readonly ThreadedProjection[];
  #thread: FoldingThread | undefined;
  #ended: Promise<void> = Promise.resolve();
  readonly #backoff = new Backoff(FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS);
  #restart: NodeJS.Timeout | undefined;
  #stopping = false;

  /**
   * @param begin begins a thread.
   * @param store in which this thread reads and does not write.
   */
  constructor(
    private readonly begin: () => FoldingThread,
    projections: readonly Projection<DomainEvent>[],
    store: ReadStore,
    private readonly observer: ProjectionObserver,
  ) {
    this.all = projections.map((projection) => {
      const { name: of } = projection;
      return new ThreadedProjection(
        projection,
        store.readModel(projection),
        observer.tell,
        (position, timeoutMs) => this.#ask({ kind: 'hurry', projection: of, position, timeoutMs }),
      );
    });
  }

  start(): void {
    if (this.#stopping) return;
    const began = performance.now();
    const lost = (fault: unknown): void => {
      this.#thread = undefined;
      if (performance.now() - began > HEALTHY_AFTER_MS) this.#backoff.reset();
      if (!this.#stopping) this.#lose(fault);
    };
    try {
      this.#thread = this.begin();
    } catch (fault) {
      lost(fault);
      return;
    }
    this.#ended = this.#attend(this.#thread).then(lost);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    this.#ask({ kind: 'stop' });
    // What it has not written by then is folded again.
    await inTime(this.#ended, STOPPED_WITHIN_MS).catch(() => this.#thread?.terminate());
  }

  /** Resolves when a thread has ended, with why. */
  #attend(thread: FoldingThread): Promise<unknown> {
    let fault: unknown;
    thread.on('message', (report) => this.#hear(report));
    thread.on('error', (error) => (fault = error));
    return new Promise((resolve) => {
      thread.on('exit', (code) =>
        resolve(fault ?? new Error(`its thread ended with code ${code}`)),
      );
    });
  }

  /** Gives whether there is a thread to ask. */
  #ask(request: ThreadRequest): boolean {
    this.#thread?.postMessage(request);
    return this.#thread !== undefined;
  }

  #hear(report: ThreadReport): void {
    if (report.kind === 'standing') {
      this.all.find(({ projection }) => projection.name === report.projection)?.follow(report);
    } else if (report.kind === 'rebuild') {
      this.observer.onRebuild(report.news);
    } else {
      const { projection, error } = report;
      this.observer.onRebuild({ projection, state: 'failed', error: restored(error) });
    }
  }

  #lose(fault: unknown): void {
    for (const one of this.all) one.lose(fault);
    this.#restart = setTimeout(() => this.start(), this.#backoff.next());
  }
}
