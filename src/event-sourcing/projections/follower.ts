import type { DomainEvent } from '../../kernel/event.js';
import { type Position, START } from '../../kernel/position.js';
import type { AwaitedPosition } from './awaited-position.js';
import { CatalogWatch } from './catalog-watch.js';
import { type Generations, nameOf } from './generations.js';
import type { Projection } from './projection.js';
import type { Sources } from './sources.js';
import { parkedAccounts, type ProjectionState, type Standing } from './standing.js';
import { allParkedIn } from './stored-projection.js';

/** How often the follower reads the checkpoints of the leader: while a reader waits for a position, and otherwise. */
const LOOK_MS = { awaited: 10, idle: 1_000 };
/** How often the follower looks for parked accounts in all projections, one after the other. */
const LOOK_FOR_PARKED_MS = 30_000;

/** Follows the leader, by asking the store for the checkpoints of all projections in one query. */
export class Follower {
  readonly #watch: CatalogWatch;
  readonly #live = new Set<string>();
  readonly #parked = new Map<string, number>();
  #unlooked: readonly Projection<DomainEvent>[];
  #lookForParkedAt = 0;

  constructor(
    private readonly projections: readonly Projection<DomainEvent>[],
    private readonly sources: Sources,
    private readonly generations: Generations,
    private readonly awaited: AwaitedPosition,
    private readonly report: (standings: readonly Standing[]) => void,
  ) {
    this.#unlooked = projections;
    this.#watch = new CatalogWatch(projections, sources.store, generations);
  }

  /**
   * Follows until the signal aborts or this process gets the lease.
   * @param askEveryMs how often the follower calls `asksForLease`.
   * @param asksForLease asks for the lease, and returns whether this process holds it now.
   */
  async run(
    signal: AbortSignal,
    askEveryMs: number,
    asksForLease: () => Promise<boolean>,
  ): Promise<void> {
    await this.#watch.begin();
    const target = await this.sources.log.head();
    let askAt = performance.now() + askEveryMs;
    let lookAt = 0;
    let lowest = START;
    while (!signal.aborted) {
      if (performance.now() >= lookAt || this.awaited.isBeyond(lowest)) {
        lookAt = performance.now() + LOOK_MS.idle;
        const standings = await this.#look(target);
        this.report(standings);
        lowest = standings.map(({ position }) => position).sort()[0] ?? START;
      }
      const idleMs = Math.min(lookAt, askAt) - performance.now();
      await this.awaited.sleep(this.awaited.isBeyond(lowest) ? LOOK_MS.awaited : idleMs, signal);
      if (performance.now() < askAt) continue;
      askAt = performance.now() + askEveryMs;
      if (await asksForLease()) return;
    }
  }

  async #look(target: Position): Promise<Standing[]> {
    const states = await this.sources.store.namespaces();
    const { generations, filling } = await this.#watch.look(states);
    await this.#lookForParked(generations);
    const checkpoints = new Map(states.map(({ name, checkpoint }) => [name, checkpoint]));
    return this.projections.map((projection) => {
      const { name } = projection;
      const generation = generations.get(name) ?? null;
      const stored = generation === null ? null : nameOf(projection, generation);
      const position = (stored !== null && checkpoints.get(stored)) || START;
      const parked = this.#parked.get(name) ?? 0;
      return {
        projection: name,
        generation,
        position,
        checkpoint: position,
        state: this.#stateAt(name, generation !== null && position >= target),
        fault: null,
        degraded: parked === 0 ? [] : [parkedAccounts(parked)],
        repeats: null,
        eventsFolded: 0,
        isFilling: filling.has(name),
      };
    });
  }

  #stateAt(name: string, isLevel: boolean): ProjectionState {
    if (isLevel) this.#live.add(name);
    return this.#live.has(name) ? 'live' : 'catching-up';
  }

  /** Counts the parked accounts of one projection. Successive calls go through all projections in turn. */
  async #lookForParked(generations: ReadonlyMap<string, number | null>): Promise<void> {
    const [projection] = this.#unlooked;
    if (!projection || performance.now() < this.#lookForParkedAt) return;
    this.#unlooked = [...this.#unlooked.slice(1), projection];
    if (this.#unlooked[0] === this.projections[0]) {
      this.#lookForParkedAt = performance.now() + LOOK_FOR_PARKED_MS;
    }
    const generation = generations.get(projection.name);
    if (typeof generation !== 'number') return;
    const parked = await this.generations.open(projection, generation).read(allParkedIn);
    this.#parked.set(projection.name, parked.length);
  }
}
