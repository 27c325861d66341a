import { inTime } from '../kernel/in-time.js';
import type { Position } from '../kernel/position.js';
import type { Generations } from './generations.js';
import type { LogIdentity } from './log-identity.js';
import { Projector } from './projector.js';
import { replay } from './replay.js';
import type { Seat } from './seat.js';
import type { Seats } from './seats.js';
import type { Sources } from './sources.js';
import { StalledError } from './watched-batches.js';

/** How often a gap that opened during a replay is replayed, before the feed closes it. */
const ROUNDS = 3;
/** A log that does not say where it ends is asked again later. */
const HEAD_WITHIN_MS = 10_000;
const LONGEST_SLEEP_MS = 60_000;

/** Brings projections that are behind up to the head of the log, together: the log is read once for all of them. */
export class CatchUp {
  constructor(
    private readonly seats: Seats,
    private readonly sources: Sources,
    private readonly generations: Generations,
    private readonly identity: LogIdentity,
  ) {}

  /** Goes on until the signal aborts. @throws StalledError */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const now = performance.now();
      const { waiting } = this.seats;
      const due = waiting.filter(({ notBefore }) => notBefore <= now);
      if (due.length > 0) await this.#bring(due, signal);
      else {
        const next = Math.min(...waiting.map(({ notBefore }) => notBefore), now + LONGEST_SLEEP_MS);
        await this.seats.due.sleep(next - now, signal);
      }
    }
  }

  async #bring(due: readonly Seat[], signal: AbortSignal): Promise<void> {
    let group: Seat[] = [];
    for (const seat of due) {
      if (await this.seats.attempt(seat, () => this.#open(seat))) group.push(seat);
    }
    this.seats.tell();
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

  /** Opens what serves, or begins a generation where nothing does. */
  async #open(seat: Seat): Promise<void> {
    if (!seat.behind) {
      const filling = await this.generations.fill(seat.projection);
      const { generation, namespace } = filling;
      seat.behind = { projector: new Projector(seat.projection, generation, namespace), filling };
    }
    const { projector, filling } = seat.behind;
    await projector.open(this.identity, this.sources.log);
    if (!filling && (!seat.serving || seat.serving === projector)) seat.serve(projector);
    if (!this.seats.fed.has(seat) && seat.damage === undefined && seat.state === 'live') {
      seat.state = 'catching-up';
    }
  }

  async #head(group: readonly Seat[]): Promise<Position | undefined> {
    try {
      return await inTime(this.sources.log.head(), HEAD_WITHIN_MS);
    } catch (error) {
      for (const seat of group) seat.fail(error);
      this.seats.tell();
      return undefined;
    }
  }

  /** Reads the log once for a group, from where the last of them is. @returns those that went along to the end. */
  async #replay(group: readonly Seat[], signal: AbortSignal): Promise<Seat[]> {
    const going = new Set(group);
    const projectors = group.flatMap(({ behind }) => (behind ? [behind.projector] : []));
    try {
      await replay(projectors, this.sources, signal, async (batch) => {
        for (const seat of going) {
          const { behind } = seat;
          const isFolded = await this.seats.attempt(seat, async () => {
            await behind?.projector.apply(batch, this.identity, false);
          });
          if (!isFolded || seat.behind !== behind) going.delete(seat);
          else seat.progress();
        }
        this.seats.tell();
        return going.size > 0;
      });
    } catch (error) {
      if (error instanceof StalledError) throw error;
      for (const seat of going) seat.fail(error);
      this.seats.tell();
      return [];
    }
    return [...going];
  }

  /** Lets a projection that caught up into the feed. One that was filled serves from here on. */
  async #join(seat: Seat, signal: AbortSignal): Promise<void> {
    const { behind } = seat;
    if (!behind) return;
    const { projector, filling } = behind;
    const isDone = await this.seats.attempt(seat, async () => {
      await projector.save(this.identity);
      if (!filling) return;
      // A stop cuts it off, which is no fault. The next leader fills another generation.
      await projector.namespace.settle(signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (signal.aborted) return;
      await filling.serve();
      await filling.end();
    });
    if (!isDone || seat.behind !== behind || signal.aborted) return;
    seat.behind = { projector };
    this.seats.ready.add(seat);
    this.seats.joined.wake();
  }
}
