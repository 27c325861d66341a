import { randomUUID } from 'node:crypto';
import { Backoff } from '../../kernel/backoff.js';
import type { DomainEvent } from '../../kernel/event.js';
import { inTime } from '../../kernel/in-time.js';
import { LinkedAbort } from '../../kernel/linked-abort.js';
import type { Position } from '../../kernel/position.js';
import { AwaitedPosition } from './awaited-position.js';
import { LostCatalogError } from './catalog-watch.js';
import { Follower } from './follower.js';
import { Generations } from './generations.js';
import { Leader } from './leader.js';
import { feedLease } from './names.js';
import type { Projection } from './projection.js';
import type { Sources } from './sources.js';
import { newStanding, type Standing } from './standing.js';
import { WakeUp } from './wake-up.js';
import { StalledError } from './stall-watch.js';

const BACKOFF_MS = { first: 100, longest: 10_000 };
/** How long a lease lasts without a renewal. Then another replica may take it. */
const LEASE_MS = 1_200;
/** How often a process asks for the lease. A new leader is found within `LEASE_MS` plus this time: less than 2 s. */
const ASK_EVERY_MS = 600;
const RELEASED_WITHIN_MS = 5_000;
/** How long a stalled leader waits before it asks for the lease again, so that another replica can take the lease. */
const STAND_BACK_MS = 1_500;

/**
 * The engine that keeps the projections of a process up to date. One of the processes that share a store is the
 * leader, which holds the lease and feeds the projections. The other processes follow the checkpoints of the leader,
 * and subscribe to nothing.
 */
export class Engine {
  readonly generations: Generations;
  readonly #awaited = new AwaitedPosition();
  readonly #stopping = new AbortController();
  readonly #holder = randomUUID();
  readonly #lease: string;
  #standings: readonly Standing[];
  #leader: Leader | undefined;
  #running: Promise<void> = Promise.resolve();

  /** @param report is called with the standings of all projections whenever they may have changed. */
  constructor(
    private readonly projections: readonly Projection<DomainEvent>[],
    private readonly sources: Sources,
    private readonly report: (standings: readonly Standing[]) => void,
  ) {
    this.#lease = feedLease(projections);
    this.generations = new Generations(sources.store, this.#lease);
    this.#standings = this.#unknown();
  }

  /** Starts the engine in the background. The engine runs until `stop`. */
  start(): void {
    this.report(this.#standings);
    this.#running = this.#run(this.#stopping.signal);
  }

  /** Stops the engine. A leader first saves its checkpoints and releases the lease. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Speeds up while a reader waits. A leader lets no events gather; a follower reads checkpoints every 10 ms. */
  hurry(position: Position, timeoutMs: number): void {
    this.#awaited.await(position, timeoutMs);
    this.sources.log.wake?.();
  }

  /** Folds a projection anew after a reader met damaged documents, if this process leads. */
  damaged(projection: string): void {
    this.#leader?.damaged(projection);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(BACKOFF_MS.first, BACKOFF_MS.longest);
    while (!signal.aborted) {
      try {
        const { isHeld } = await this.sources.store.lease(this.#lease, this.#holder, '0', LEASE_MS);
        if (isHeld) await this.#lead(signal, () => backoff.reset());
        else await this.#follow(signal, () => backoff.reset());
      } catch (error) {
        await this.#standBack(error, backoff, signal);
      }
    }
  }

  async #standBack(error: unknown, backoff: Backoff, signal: AbortSignal): Promise<void> {
    if (error instanceof LostCatalogError) {
      this.#standings = this.#unknown();
      this.report(this.#standings);
    }
    const isStalled = error instanceof StalledError;
    this.#fail(isStalled ? 'stalled' : 'stuck', error);
    await new WakeUp().sleep(isStalled ? STAND_BACK_MS : backoff.next(), signal);
  }

  #unknown(): readonly Standing[] {
    return this.projections.map(({ name }) => newStanding(name, 'catching-up'));
  }

  #fail(state: 'stalled' | 'stuck', fault: unknown): void {
    this.#publish(this.#standings.map((standing) => ({ ...standing, state, fault })));
  }

  async #lead(signal: AbortSignal, onWell: () => void): Promise<void> {
    const over = new LinkedAbort(signal);
    let beats = 0;
    let asking: Promise<unknown> = Promise.resolve();
    const keeping = setInterval(() => {
      beats += 1;
      asking = this.sources.store
        .lease(this.#lease, this.#holder, String(beats), LEASE_MS)
        // If the store does not answer, the next write fails too, and reports the error.
        .then(
          ({ isHeld }) => !isHeld && over.abort(),
          () => undefined,
        );
    }, ASK_EVERY_MS);
    const { projections, sources, generations } = this;
    this.#leader = new Leader(projections, sources, generations, this.#awaited, (standings) => {
      if (standings.some(({ state }) => state === 'live')) onWell();
      this.#publish(standings);
    });
    try {
      await this.#leader.run(over.signal);
    } finally {
      this.#leader = undefined;
      clearInterval(keeping);
      over.unlink();
      // A call for the lease that is still under way would take the lease again after its release.
      await inTime(asking, RELEASED_WITHIN_MS).catch(() => undefined);
      const released = sources.store.release(this.#lease, this.#holder);
      await inTime(released, RELEASED_WITHIN_MS).catch(() => undefined);
    }
  }

  async #follow(signal: AbortSignal, onWell: () => void): Promise<void> {
    const { projections, sources, generations } = this;
    const follower = new Follower(projections, sources, generations, this.#awaited, (standings) => {
      onWell();
      this.#publish(standings);
    });
    await follower.run(signal, ASK_EVERY_MS, async () => {
      const asked = sources.store.lease(this.#lease, this.#holder, '0', LEASE_MS);
      return (await asked).isHeld;
    });
  }

  /** Reports standings. A projection keeps its last known generation until the new leader has opened one. */
  #publish(standings: readonly Standing[]): void {
    this.#standings = standings.map((standing, place) => {
      const before = this.#standings[place];
      if (standing.generation !== null || !before) return standing;
      const { generation, position, checkpoint } = before;
      const isTold = standing.state === 'catching-up' && before.state === 'stalled';
      const { state, fault } = isTold ? before : standing;
      return { ...standing, generation, position, checkpoint, state, fault };
    });
    this.report(this.#standings);
  }
}
