import { LinkedAbort } from '../../kernel/linked-abort.js';
import type { Position } from '../../kernel/position.js';
import type { AwaitedPosition } from './awaited-position.js';
import { type DecodedBatch, decoded } from './decoded-batch.js';
import type { LogIdentity } from './log-identity.js';
import type { Projector } from './projector.js';
import { replay } from './replay.js';
import type { LedProjection } from './led-projection.js';
import type { LedProjections } from './led-projections.js';
import type { Sources } from './sources.js';
import { watched } from './stall-watch.js';

/** How long events may gather for one write while no reader waits for them, because every write has a cost. */
const GATHER_MS = 30;
/** After a batch of at least this many events, the feed does not wait for more events. */
const GATHERED = 100;
/** The longest time that a projection may take for one batch. A slower projection leaves the feed. */
const SLOW_MS = 5_000;
const LONGEST_SLEEP_MS = 60_000;

/** The one subscription of a process. It decodes each batch once, and feeds all projections that are up to date. */
export class Feed {
  constructor(
    private readonly ledProjections: LedProjections,
    private readonly sources: Sources,
    private readonly identity: LogIdentity,
    private readonly awaited: AwaitedPosition,
  ) {}

  /** Feeds the projections until the signal aborts. @throws StalledError, and the error that ends the subscription. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#admit(signal);
      const fed = [...this.ledProjections.fed].flatMap(({ serving }) => (serving ? [serving] : []));
      if (fed.length > 0) await this.#follow(fed, signal);
      else await this.ledProjections.joined.sleep(LONGEST_SLEEP_MS, signal);
    }
  }

  /** Adds each `ready` projection to the feed, and lets it serve. No projection goes back to an earlier position. */
  async #admit(signal: AbortSignal): Promise<void> {
    for (const led of this.ledProjections.ready) {
      this.ledProjections.ready.delete(led);
      const projector = led.behind?.projector;
      if (!projector) continue;
      const least = led.serving?.position ?? projector.position;
      if (!(await this.#isBroughtTo(least, led, projector, signal))) continue;
      led.behind = undefined;
      led.serve(projector);
      led.live();
      this.ledProjections.fed.add(led);
    }
    this.ledProjections.tell();
  }

  async #isBroughtTo(
    least: Position,
    led: LedProjection,
    projector: Projector,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (projector.position >= least) return true;
    return this.ledProjections.attempt(led, () =>
      replay([projector], this.sources, signal, async (batch) => {
        await projector.apply(batch, this.identity, true);
        return projector.position < least;
      }),
    );
  }

  /** Feeds these projectors until another projection joins or all have left. */
  async #follow(fed: readonly Projector[], signal: AbortSignal): Promise<void> {
    const { log, registry } = this.sources;
    const after = fed.map(({ position }) => position).sort()[0] ?? '';
    const types = [...new Set(fed.flatMap((projector) => [...projector.types]))];
    const subscription = new LinkedAbort(signal);
    void this.#endWhenJoined(subscription);
    try {
      const batches = log.follow(after, subscription.signal, { types });
      for await (const batch of watched(batches, after, log, subscription.signal)) {
        await this.#give(await decoded(batch, registry, log));
        if (this.ledProjections.ready.size > 0 || this.ledProjections.fed.size === 0) return;
        await this.#gather(batch.events.length, batch.reached, signal);
      }
    } finally {
      subscription.abort();
      subscription.unlink();
    }
  }

  async #endWhenJoined(subscription: LinkedAbort): Promise<void> {
    while (this.ledProjections.ready.size === 0 && !subscription.signal.aborted) {
      await this.ledProjections.joined.sleep(Number.POSITIVE_INFINITY, subscription.signal);
    }
    subscription.abort();
  }

  async #give(batch: DecodedBatch): Promise<void> {
    const given = [...this.ledProjections.fed].map(async (led) => {
      const projector = led.serving;
      if (!projector) return;
      const folding = this.ledProjections.attempt(led, () =>
        projector.apply(batch, this.identity, true),
      );
      await this.#unlessSlow(led, folding);
    });
    await Promise.all(given);
    this.ledProjections.tell();
  }

  /** Waits for a fold. If the fold is slow, removes the projection from the feed; it catches up after this batch. */
  async #unlessSlow(led: LedProjection, folding: Promise<boolean>): Promise<void> {
    let isSlow = false;
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const timer = setTimeout(() => {
      isSlow = true;
      this.ledProjections.fed.delete(led);
      led.notBefore = Number.POSITIVE_INFINITY;
      led.behind = led.serving && { projector: led.serving };
      leave();
    }, SLOW_MS);
    const done = folding.then((isFolded) => {
      clearTimeout(timer);
      if (isSlow && isFolded) this.ledProjections.recall(led);
    });
    await Promise.race([done, left]);
  }

  async #gather(events: number, reached: Position, signal: AbortSignal): Promise<void> {
    if (events >= GATHERED || this.awaited.isBeyond(reached)) return;
    await this.awaited.sleep(GATHER_MS, signal);
  }
}
