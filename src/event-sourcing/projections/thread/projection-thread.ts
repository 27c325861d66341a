import type { Worker } from 'node:worker_threads';
import { Backoff } from '../../waiting/backoff.js';
import { inTime } from '../../waiting/in-time.js';
import { type Position, START } from '../../../kernel/position.js';
import type { ReadSideDriver } from '../read-models.js';
import type { ReadSideState } from '../read-side-state.js';
import { type CarriedError, errorFrom } from './carried-error.js';

const BACKOFF_MS = { first: 100, longest: 10_000 };
/** After a thread ran for longer than this, the next start waits only for the first pause. */
const HEALTHY_AFTER_MS = 60_000;
const STOPPED_WITHIN_MS = 5_000;
const HURRY_AGAIN_AFTER_MS = 500;

export type ThreadRequest =
  | { readonly kind: 'hurry'; readonly position: Position; readonly timeoutMs: number }
  | { readonly kind: 'stop' };

/** A message from the thread that folds: what has changed in the state of the read side. */
export type ThreadReport = Partial<Omit<ReadSideState, 'fault'>> & {
  readonly fault?: CarriedError | null;
};

/**
 * Keeps a read side up to date in a thread of its own, so that no request waits while it decodes,
 * folds or sorts an index. Starts the thread again when it ends, after pauses that grow up to 10 s.
 */
export class ProjectionThread implements ReadSideDriver {
  #thread: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  readonly #backoff = new Backoff(BACKOFF_MS.first, BACKOFF_MS.longest);
  #restart: NodeJS.Timeout | undefined;
  #isStopping = false;
  /** The last position that was sent to the thread because a reader waits for it. */
  #hurriedTo: Position = START;
  #hurryAgainAt = 0;

  /** @param begin starts a thread that runs `serveThread`. */
  constructor(
    private readonly begin: () => Worker,
    private readonly report: (changes: Partial<ReadSideState>) => void,
  ) {}

  start(): void {
    if (this.#isStopping) return;
    const began = performance.now();
    const lost = (fault: unknown): void => {
      this.#thread = undefined;
      this.#hurriedTo = START;
      if (performance.now() - began > HEALTHY_AFTER_MS) this.#backoff.reset();
      if (this.#isStopping) return;
      this.report({ phase: 'stuck', fault });
      this.#restart = setTimeout(() => this.start(), this.#backoff.next());
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
    this.#isStopping = true;
    clearTimeout(this.#restart);
    this.#ask({ kind: 'stop' });
    // The next process folds again what the thread has not written by then.
    await inTime(this.#ended, STOPPED_WITHIN_MS).catch(() => this.#thread?.terminate());
  }

  hurry(position: Position, timeoutMs: number): void {
    const isKnown = position <= this.#hurriedTo && performance.now() < this.#hurryAgainAt;
    if (isKnown || !this.#thread) return;
    this.#hurriedTo = position;
    this.#hurryAgainAt = performance.now() + HURRY_AGAIN_AFTER_MS;
    this.#ask({ kind: 'hurry', position, timeoutMs });
  }

  #ask(request: ThreadRequest): void {
    this.#thread?.postMessage(request);
  }

  /** Passes on what a thread reports. Resolves when the thread has ended, with the cause. */
  #attend(thread: Worker): Promise<unknown> {
    let fault: unknown;
    thread.on('message', ({ fault: sent, ...changes }: ThreadReport) =>
      this.report(sent === undefined ? changes : { ...changes, fault: sent && errorFrom(sent) }),
    );
    thread.on('error', (error) => (fault = error));
    return new Promise((resolve) => {
      thread.on('exit', (code) =>
        resolve(fault ?? new Error(`the thread that updates them ended with code ${code}`)),
      );
    });
  }
}
