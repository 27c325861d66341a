import type { DomainEvent } from '../../kernel/event.js';
import {
  DamagedNamespaceError,
  RepeatedDocumentError,
  StaleCheckpointError,
} from '../read-store/read-store.js';
import type { Generations } from './generations.js';
import type { Projection } from './projection.js';
import { LedProjection } from './led-projection.js';
import type { Standing } from './standing.js';
import { WakeUp } from './wake-up.js';

/** How long a projection pauses after another process moved its checkpoint. */
const AFTER_OTHERS_MS = 20;
const DAMAGED = 'its documents are damaged, and are folded again';

/** The projections of a leader: those that are fed, those that caught up, and those that are behind. */
export class LedProjections {
  readonly all: readonly LedProjection[];
  readonly fed = new Set<LedProjection>();
  /** The projections that caught up and join the feed next. */
  readonly ready = new Set<LedProjection>();
  /** Wakes the feed when a projection has caught up. */
  readonly joined = new WakeUp();
  /** Wakes the catch-up when a projection is behind. */
  readonly due = new WakeUp();

  constructor(
    projections: readonly Projection<DomainEvent>[],
    private readonly generations: Pick<Generations, 'noteRepeats'>,
    private readonly report: (standings: readonly Standing[]) => void,
  ) {
    this.all = projections.map((projection) => new LedProjection(projection));
  }

  /** The projections that have to catch up: those not in the feed, and those with a new generation. */
  get waiting(): LedProjection[] {
    return this.all.filter((led) => !this.ready.has(led) && (led.behind || !this.fed.has(led)));
  }

  tell(): void {
    this.report(this.all.map((led) => led.standing()));
  }

  /** Lets a projection catch up at once, even if it was ready to join the feed. */
  recall(led: LedProjection): void {
    led.notBefore = 0;
    this.ready.delete(led);
    this.due.wake();
  }

  /** Folds a damaged projection into a new generation. The damaged generation serves meanwhile. */
  refill(led: LedProjection): void {
    led.damage = DAMAGED;
    led.abandon();
    this.fed.delete(led);
    this.recall(led);
    this.tell();
  }

  /** Runs `work`. Records the error on `led` if `work` fails. @returns whether `work` succeeded. */
  async attempt(led: LedProjection, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#fail(led, error);
      return false;
    }
  }

  #fail(led: LedProjection, error: unknown): void {
    this.fed.delete(led);
    if (error instanceof RepeatedDocumentError) {
      this.generations.noteRepeats(led.projection);
      led.abandon();
      this.due.wake();
      return;
    }
    if (error instanceof DamagedNamespaceError) {
      if (!led.behind?.filling) {
        this.refill(led);
        return;
      }
      led.abandon();
    } else if (!led.behind && led.serving) {
      led.behind = { projector: led.serving };
    }
    if (error instanceof StaleCheckpointError) led.notBefore = performance.now() + AFTER_OTHERS_MS;
    else led.fail(error);
    this.due.wake();
    this.tell();
  }
}
