import { inTime } from '../../kernel/in-time.js';
import type { Position } from '../../kernel/position.js';
import type { Generations } from './generations.js';
import type { LogIdentity } from './log-identity.js';
import { Projector } from './projector.js';
import { replay } from './replay.js';
import type { LedProjection } from './led-projection.js';
import type { LedProjections } from './led-projections.js';
import type { Sources } from './sources.js';
import { StalledError } from './stall-watch.js';

/** The most replays in a row. Each reads the events that came during the previous replay. The feed reads the rest. */
const ROUNDS = 3;
/** How long the log may take to return its head. After this time, the attempt fails and is repeated later. */
const HEAD_WITHIN_MS = 10_000;
const LONGEST_SLEEP_MS = 60_000;

/** Brings the projections that are behind to the head of the log. Reads the log once for all these projections. */
export class CatchUp {
  constructor(
    private readonly ledProjections: LedProjections,
    private readonly sources: Sources,
    private readonly generations: Generations,
    private readonly identity: LogIdentity,
  ) {}

  /** Lets projections catch up whenever they are behind, until the signal aborts. @throws StalledError */
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

  /** Opens the generation that is behind. Begins a new generation if none serves or the documents are damaged. */
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

  /** Reads the log once for a group, from the group's lowest position. @returns the projections still in the group. */
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

  /** Hands a caught-up projection over to the feed. A newly filled generation serves from now on. */
  async #join(led: LedProjection, signal: AbortSignal): Promise<void> {
    const { behind } = led;
    if (!behind) return;
    const { projector, filling } = behind;
    const isDone = await this.ledProjections.attempt(led, async () => {
      await projector.save(this.identity);
      if (!filling) return;
      // A stop may interrupt `settle`, which is no fault. The next leader fills another generation.
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
