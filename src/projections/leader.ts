import type { DomainEvent } from '../kernel/event.js';
import { inTime } from '../kernel/in-time.js';
import { LinkedAbort } from '../kernel/linked-abort.js';
import type { Position } from '../kernel/position.js';
import { DamagedNamespaceError, StaleCheckpointError } from '../read-store/read-store.js';
import type { AwaitedPosition } from './awaited-position.js';
import { CatalogWatch, type Seen } from './catalog-watch.js';
import { replay } from './catch-up.js';
import { type DecodedBatch, decoded } from './decoded-batch.js';
import type { Generations } from './generations.js';
import { LogIdentity } from './log-identity.js';
import type { Projection } from './projection.js';
import { Projector } from './projector.js';
import { Seat } from './seat.js';
import type { Sources } from './sources.js';
import type { Standing } from './standing.js';
import { WakeUp } from './wake-up.js';
import { StalledError, watched } from './watched-batches.js';

/** How long events may gather for one write while nobody waits for them: each write has a cost of its own. */
const GATHER_MS = 30;
/** Events in a batch from which on there is no use in gathering more. */
const GATHERED = 100;
/** A projection that takes longer for a batch leaves the feed. */
const SLOW_MS = 5_000;
/** How often a gap that opened during a replay is replayed, before the feed closes it. */
const ROUNDS = 3;
/** A log that does not say where it ends is asked again later. */
const HEAD_WITHIN_MS = 10_000;
const LONGEST_SLEEP_MS = 60_000;
const DAMAGED = 'its documents are damaged, and folded anew';

/**
 * Feeds all projections of a process. One subscription is decoded once and feeds those that are up to date. The others
 * catch up together beside it, and join it at the end of a batch.
 */
export class Leader {
  readonly #seats: readonly Seat[];
  readonly #identity: LogIdentity;
  readonly #fed = new Set<Seat>();
  /** Those that caught up, and go into the feed next. */
  readonly #ready = new Set<Seat>();
  readonly #joined = new WakeUp();
  readonly #due = new WakeUp();
  #subscription: LinkedAbort | undefined;

  constructor(
    private readonly projections: readonly Projection<DomainEvent>[],
    private readonly sources: Sources,
    private readonly generations: Generations,
    private readonly awaited: AwaitedPosition,
    private readonly report: (standings: readonly Standing[]) => void,
  ) {
    this.#identity = new LogIdentity(sources.log);
    this.#seats = projections.map((projection) => new Seat(projection));
  }

  /**
   * Feeds until the signal aborts, and leaves each checkpoint where the work is.
   * @throws StalledError, and whatever keeps it from feeding at all.
   */
  async run(signal: AbortSignal): Promise<void> {
    const over = new LinkedAbort(signal);
    const watch = new CatalogWatch(this.projections, this.sources.store, this.generations);
    const catalog = await watch.begin();
    for (const seat of this.#seats) {
      const generation = catalog.get(seat.projection.name) ?? null;
      if (generation !== null) this.#takeOver(seat, generation);
    }
    this.#tell();
    const tasks = [
      this.#feed(over.signal),
      this.#catchUpAgain(over.signal),
      watch.run(over.signal, (seen) => {
        for (const seat of this.#seats) this.#look(seat, seen);
        this.#tell();
      }),
    ];
    try {
      await Promise.all(tasks);
    } finally {
      over.abort();
      over.unlink();
      await Promise.allSettled(tasks);
      await this.#end();
    }
  }

  /** A reader met damage in what serves. */
  damaged(projection: string): void {
    const seat = this.#seats.find((one) => one.projection.name === projection);
    if (seat?.serving && seat.damage === undefined) this.#refill(seat);
  }

  // What serves, and what takes its place.

  #takeOver(seat: Seat, generation: number): void {
    void seat.behind?.filling?.end().catch(() => undefined);
    const namespace = this.generations.open(seat.projection, generation);
    seat.behind = { projector: new Projector(seat.projection, generation, namespace) };
    seat.notBefore = 0;
    this.#ready.delete(seat);
    this.#due.wake();
  }

  #look(seat: Seat, { generations, filling }: Seen): void {
    const { name } = seat.projection;
    seat.isFilling = filling.has(name);
    const generation = generations.get(name) ?? null;
    const known = Math.max(seat.serving?.generation ?? 0, seat.behind?.projector.generation ?? 0);
    if (generation !== null && generation > known) this.#takeOver(seat, generation);
  }

  #refill(seat: Seat): void {
    seat.damage = DAMAGED;
    seat.behind = undefined;
    this.#ready.delete(seat);
    this.#fed.delete(seat);
    this.#due.wake();
    this.#tell();
  }

  // Catching up.

  async #catchUpAgain(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const now = performance.now();
      const waiting = this.#seats.filter(
        (seat) => !this.#ready.has(seat) && (seat.behind || !this.#fed.has(seat)),
      );
      const due = waiting.filter(({ notBefore }) => notBefore <= now);
      if (due.length > 0) await this.#catchUp(due, signal);
      else {
        const next = Math.min(...waiting.map(({ notBefore }) => notBefore), now + LONGEST_SLEEP_MS);
        await this.#due.sleep(next - now, signal);
      }
    }
  }

  async #catchUp(due: readonly Seat[], signal: AbortSignal): Promise<void> {
    const opened: Seat[] = [];
    for (const seat of due) {
      if (await this.#attempt(seat, () => this.#open(seat))) opened.push(seat);
    }
    this.#tell();
    let group = opened;
    for (let round = 0; round < ROUNDS && group.length > 0 && !signal.aborted; round++) {
      const head = await this.#head(group);
      if (head === undefined) return;
      const isLevel = (seat: Seat): boolean => (seat.behind?.projector.position ?? head) >= head;
      for (const seat of group.filter(isLevel)) await this.#join(seat, signal);
      group = group.filter((seat) => !isLevel(seat));
      if (group.length > 0) group = await this.#replay(group, signal);
    }
    for (const seat of group) await this.#join(seat, signal);
  }

  async #open(seat: Seat): Promise<void> {
    if (!seat.behind) {
      const filling = await this.generations.fill(seat.projection);
      const { generation, namespace } = filling;
      seat.behind = { projector: new Projector(seat.projection, generation, namespace), filling };
    }
    const { projector, filling } = seat.behind;
    await projector.open(this.#identity, this.sources.log);
    if (!filling && (!seat.serving || seat.serving === projector)) seat.serve(projector);
    if (!this.#fed.has(seat) && seat.damage === undefined && seat.state === 'live') {
      seat.state = 'catching-up';
    }
  }

  async #head(group: readonly Seat[]): Promise<Position | undefined> {
    try {
      return await inTime(this.sources.log.head(), HEAD_WITHIN_MS);
    } catch (error) {
      for (const seat of group) seat.fail(error);
      this.#tell();
      return undefined;
    }
  }

  /** Reads the log once for a group, from where the last of them is. @returns those that went along to the end. */
  async #replay(group: readonly Seat[], signal: AbortSignal): Promise<Seat[]> {
    const going = new Set(group);
    const projectors = (): Projector[] =>
      [...going].flatMap((seat) => (seat.behind ? [seat.behind.projector] : []));
    try {
      await replay(projectors(), this.sources, signal, async (batch) => {
        for (const seat of going) {
          const { behind } = seat;
          const isFolded = await this.#attempt(seat, async () => {
            await behind?.projector.apply(batch, this.#identity, false);
          });
          if (!isFolded || seat.behind !== behind) going.delete(seat);
          else if (seat.state !== 'live') {
            seat.state = 'catching-up';
            seat.fault = null;
          }
        }
        this.#tell();
        return going.size > 0;
      });
    } catch (error) {
      if (error instanceof StalledError) throw error;
      for (const seat of going) seat.fail(error);
      this.#tell();
      return [];
    }
    return [...going];
  }

  async #join(seat: Seat, signal: AbortSignal): Promise<void> {
    const { behind } = seat;
    if (!behind) return;
    const isDone = await this.#attempt(seat, async () => {
      await behind.projector.save(this.#identity);
      if (!behind.filling) return;
      await behind.projector.namespace.settle(signal);
      await behind.filling.serve();
      await behind.filling.end();
    });
    if (!isDone || seat.behind !== behind || signal.aborted) return;
    seat.behind = { projector: behind.projector };
    this.#ready.add(seat);
    this.#subscription?.abort();
    this.#joined.wake();
  }

  /** @returns false when it failed, which is put on record. */
  async #attempt(seat: Seat, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#fail(seat, error);
      return false;
    }
  }

  #fail(seat: Seat, error: unknown): void {
    this.#fed.delete(seat);
    if (error instanceof DamagedNamespaceError && !seat.behind?.filling) {
      this.#refill(seat);
      return;
    }
    if (error instanceof DamagedNamespaceError) seat.behind = undefined;
    else if (!seat.behind && seat.serving) seat.behind = { projector: seat.serving };
    if (error instanceof StaleCheckpointError) seat.notBefore = performance.now() + 20;
    else seat.fail(error);
    this.#due.wake();
    this.#tell();
  }

  // The feed.

  async #feed(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#admit(signal);
      const fed = [...this.#fed].flatMap(({ serving }) => (serving ? [serving] : []));
      if (fed.length === 0) {
        await this.#joined.sleep(LONGEST_SLEEP_MS, signal);
        continue;
      }
      await this.#follow(fed, signal);
    }
  }

  async #follow(fed: readonly Projector[], signal: AbortSignal): Promise<void> {
    const { log, registry } = this.sources;
    const after = lowest(fed);
    const types = [...new Set(fed.flatMap((projector) => [...projector.types]))];
    const subscription = new LinkedAbort(signal);
    this.#subscription = subscription;
    try {
      const batches = log.follow(after, subscription.signal, { types });
      for await (const batch of watched(batches, after, log, subscription.signal)) {
        await this.#give(await decoded(batch, registry, log));
        if (this.#ready.size > 0 || this.#fed.size === 0) return;
        await this.#gather(batch.events.length, batch.reached, signal);
      }
    } finally {
      this.#subscription = undefined;
      subscription.abort();
      subscription.unlink();
    }
  }

  async #give(batch: DecodedBatch): Promise<void> {
    const given = [...this.#fed].map(async (seat) => {
      const projector = seat.serving;
      if (!projector) return;
      const applied = this.#attempt(seat, () => projector.apply(batch, this.#identity, true));
      await this.#unlessSlow(seat, applied);
    });
    await Promise.all(given);
    this.#tell();
  }

  async #unlessSlow(seat: Seat, applied: Promise<boolean>): Promise<void> {
    const timer = setTimeout(() => {
      this.#fed.delete(seat);
      seat.notBefore = Number.POSITIVE_INFINITY;
      seat.behind = seat.serving && { projector: seat.serving };
      leave();
    }, SLOW_MS);
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const done = applied.then((isFolded) => {
      clearTimeout(timer);
      if (isFolded && seat.notBefore === Number.POSITIVE_INFINITY) seat.notBefore = 0;
      this.#due.wake();
    });
    await Promise.race([done, left]);
  }

  async #gather(events: number, reached: Position, signal: AbortSignal): Promise<void> {
    if (events >= GATHERED || this.awaited.isBeyond(reached)) return;
    await this.awaited.sleep(GATHER_MS, signal);
  }

  /** Lets those that caught up into the feed, and to serve: none may give older answers than what served before it. */
  async #admit(signal: AbortSignal): Promise<void> {
    for (const seat of this.#ready) {
      this.#ready.delete(seat);
      const { behind, serving } = seat;
      if (!behind) continue;
      const { projector } = behind;
      if (serving && projector.position < serving.position) {
        const least = serving.position;
        const isLevel = await this.#attempt(seat, () =>
          replay([projector], this.sources, signal, async (batch) => {
            await projector.apply(batch, this.#identity, true);
            return projector.position < least;
          }),
        );
        if (!isLevel) continue;
      }
      seat.behind = undefined;
      seat.serve(projector);
      seat.live();
      this.#fed.add(seat);
    }
    this.#tell();
  }

  async #end(): Promise<void> {
    for (const { serving, behind } of this.#seats) {
      // The next leader folds again what cannot be saved.
      await serving?.save(this.#identity).catch(() => undefined);
      await behind?.filling?.end().catch(() => undefined);
    }
  }

  #tell(): void {
    this.report(this.#seats.map((seat) => seat.standing()));
  }
}

function lowest(projectors: readonly Projector[]): Position {
  return projectors.map(({ position }) => position).sort()[0] ?? '';
}
