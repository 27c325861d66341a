import { inTime } from '../kernel/in-time.js';
import type { Position } from '../kernel/position.js';
import type { Generations } from './generations.js';
import type { LogIdentity } from './log-identity.js';
import { Projector } from './projector.js';
import { replay } from './replay.js';
import type { LedProjection } from './led-projection.js';
import type { LedProjections } from './led-projections.js';
import type { Sources } from './sources.js';
import { StalledError } from './stall-watch.js';

/** How often a gap that opened during a replay is replayed, before the feed closes it. */
const ROUNDS = 3;
/** A log that does not say where it ends is asked again later. */
const HEAD_WITHIN_MS = 10_000;
const LONGEST_SLEEP_MS = 60_000;

/** Brings projections that are behind up to the head of the log, together: the log is read once for all of them. */
export class CatchUp {
  constructor(
    private readonly ledProjections: LedProjections,
    private readonly sources: Sources,
    private readonly generations: Generations,
    private readonly identity: LogIdentity,
  ) {}

  /** Goes on until the signal aborts. @throws StalledError */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const now = performance.now();
      const { waiting } = this.ledProjections;
      const due = waiting.filter(({ notBefore }) => notBefore <= now);
      if (due.length > 0) await this.#bring(due, signal);
      else {
        const next = Math.min(...waiting.map(({ notBefore }) => notBefore), now + LONGEST_SLEEP_MS);
        await this.ledProjections.due.sleep(next - now, signal);
      }
    }
  }

  async #bring(due: readonly LedProjection[], signal: AbortSignal): Promise<void> {
    let group: LedProjection[] = [];
    for (const led of due) {
      if (await this.ledProjections.attempt(led, () => this.#open(led))) group.push(led);
    }
    this.ledProjections.tell();
    for (let round = 0; round < ROUNDS && group.length > 0 && !signal.aborted; round++) {
      const head = await this.#head(group);
      if (head === undefined) return;
      const isLevel = (led: LedProjection): boolean =>
        (led.behind?.projector.position ?? head) >= head;
      for (const led of group.filter(isLevel)) await this.#join(led, signal);
      group = group.filter((led) => !isLevel(led));
      if (group.length > 0) group = await this.#replay(group, signal);
    }
    for (const led of group) await this.#join(led, signal);
  }

  /** Opens what serves, or begins a generation where nothing does. */
  async #open(led: LedProjection): Promise<void> {
    if (!led.behind) {
      const filling = await this.generations.fill(led.projection);
      const { generation, namespace } = filling;
      led.behind = { projector: new Projector(led.projection, generation, namespace), filling };
    }
    const { projector, filling } = led.behind;
    await projector.open(this.identity, this.sources.log);
    if (!filling && (!led.serving || led.serving === projector)) led.serve(projector);
    if (!this.ledProjections.fed.has(led) && led.damage === undefined && led.state === 'live') {
      led.state = 'catching-up';
    }
  }

  async #head(group: readonly LedProjection[]): Promise<Position | undefined> {
    try {
      return await inTime(this.sources.log.head(), HEAD_WITHIN_MS);
    } catch (error) {
      for (const led of group) led.fail(error);
      this.ledProjections.tell();
      return undefined;
    }
  }

  /** Reads the log once for a group, from where the last of them is. @returns those that went along to the end. */
  async #replay(group: readonly LedProjection[], signal: AbortSignal): Promise<LedProjection[]> {
    const going = new Set(group);
    const projectors = group.flatMap(({ behind }) => (behind ? [behind.projector] : []));
    try {
      await replay(projectors, this.sources, signal, async (batch) => {
        for (const led of going) {
          const { behind } = led;
          const isFolded = await this.ledProjections.attempt(led, async () => {
            await behind?.projector.apply(batch, this.identity, false);
          });
          if (!isFolded || led.behind !== behind) going.delete(led);
          else led.progress();
        }
        this.ledProjections.tell();
        return going.size > 0;
      });
    } catch (error) {
      if (error instanceof StalledError) throw error;
      for (const led of going) led.fail(error);
      this.ledProjections.tell();
      return [];
    }
    return [...going];
  }

  /** Lets a projection that caught up into the feed. One that was filled serves from here on. */
  async #join(led: LedProjection, signal: AbortSignal): Promise<void> {
    const { behind } = led;
    if (!behind) return;
    const { projector, filling } = behind;
    const isDone = await this.ledProjections.attempt(led, async () => {
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
    if (!isDone || led.behind !== behind || signal.aborted) return;
    led.behind = { projector };
    this.ledProjections.ready.add(led);
    this.ledProjections.joined.wake();
  }
}
