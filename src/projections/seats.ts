import type { DomainEvent } from '../kernel/event.js';
import { DamagedNamespaceError, StaleCheckpointError } from '../read-store/read-store.js';
import type { Projection } from './projection.js';
import { Seat } from './seat.js';
import type { Standing } from './standing.js';
import { WakeUp } from './wake-up.js';

/** How long a projection pauses whose checkpoint another process moved. */
const AFTER_OTHERS_MS = 20;
const DAMAGED = 'its documents are damaged, and folded anew';

/** The projections of a leader: those that are fed, those that caught up, and those that are behind. */
export class Seats {
  readonly all: readonly Seat[];
  readonly fed = new Set<Seat>();
  /** Those that caught up, and go into the feed next. */
  readonly ready = new Set<Seat>();
  /** Woken when one caught up. */
  readonly joined = new WakeUp();
  /** Woken when one is to catch up. */
  readonly due = new WakeUp();

  constructor(
    projections: readonly Projection<DomainEvent>[],
    private readonly report: (standings: readonly Standing[]) => void,
  ) {
    this.all = projections.map((projection) => new Seat(projection));
  }

  /** Those that are neither fed nor ready, or have something that shall take their place. */
  get waiting(): Seat[] {
    return this.all.filter((seat) => !this.ready.has(seat) && (seat.behind || !this.fed.has(seat)));
  }

  tell(): void {
    this.report(this.all.map((seat) => seat.standing()));
  }

  /** Has a seat catch up before anything else is done with it. */
  recall(seat: Seat): void {
    seat.notBefore = 0;
    this.ready.delete(seat);
    this.due.wake();
  }

  /** Folds anew what serves, and lets it serve meanwhile. */
  refill(seat: Seat): void {
    seat.damage = DAMAGED;
    seat.behind = undefined;
    this.fed.delete(seat);
    this.recall(seat);
    this.tell();
  }

  /** @returns false when it failed, which is put on record. */
  async attempt(seat: Seat, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#fail(seat, error);
      return false;
    }
  }

  #fail(seat: Seat, error: unknown): void {
    this.fed.delete(seat);
    if (error instanceof DamagedNamespaceError) {
      if (!seat.behind?.filling) {
        this.refill(seat);
        return;
      }
      seat.behind = undefined;
    } else if (!seat.behind && seat.serving) {
      seat.behind = { projector: seat.serving };
    }
    if (error instanceof StaleCheckpointError) seat.notBefore = performance.now() + AFTER_OTHERS_MS;
    else seat.fail(error);
    this.due.wake();
    this.tell();
  }
}
