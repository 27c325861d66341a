import { Backoff } from '../../kernel/backoff.js';
import type { DomainEvent } from '../../kernel/event.js';
import { START } from '../../kernel/position.js';
import type { Filling } from './generations.js';
import type { Projection } from './projection.js';
import type { Projector } from './projector.js';
import { parkedAccounts, type ProjectionState, type Standing } from './standing.js';

const BACKOFF_MS = { first: 100, longest: 10_000 };

/** A projector that has to catch up before it goes into the feed. */
export interface CatchingUp {
  readonly projector: Projector;
  /** The filling of a new generation, which serves when it has caught up. Absent if the generation serves already. */
  readonly filling?: Filling;
}

/** The state of one projection in the process that leads. */
export class LedProjection {
  /** The projector of the generation that serves; undefined until one serves. */
  serving: Projector | undefined;
  /** The projector that catches up, for the generation that serves or for its replacement. */
  behind: CatchingUp | undefined;
  state: ProjectionState = 'catching-up';
  fault: unknown = null;
  /** Why the projection is folded anew while the damaged generation serves; undefined if no generation is damaged. */
  damage: string | undefined;
  isFilling = false;
  /** The earliest time of the next attempt after a fault, in milliseconds of `performance.now()`. */
  notBefore = 0;
  readonly #backoff = new Backoff(BACKOFF_MS.first, BACKOFF_MS.longest);
  /** The number of events that earlier projectors folded. */
  #foldedBefore = 0;

  constructor(readonly projection: Projection<DomainEvent>) {}

  /** Records a fault, and delays the next attempt. */
  fail(fault: unknown): void {
    this.state = 'stuck';
    this.fault = fault;
    this.notBefore = performance.now() + this.#backoff.next();
  }

  /** Records that the projection folds but is still behind. `live` stays, because another generation serves. */
  progress(): void {
    if (this.state === 'live') return;
    this.state = 'catching-up';
    this.fault = null;
  }

  /** Records that the projection is up to date and in the feed. */
  live(): void {
    this.state = 'live';
    this.fault = null;
    this.notBefore = 0;
    this.#backoff.reset();
  }

  /** Gives up what catches up. A generation that was being filled is left to the sweep. */
  abandon(): void {
    void this.behind?.filling?.end().catch(() => undefined);
    this.behind = undefined;
  }

  /** Lets a projector serve in place of the previous projector. */
  serve(projector: Projector): void {
    if (this.serving === projector) return;
    this.#foldedBefore += this.serving?.eventsFolded ?? 0;
    void this.serving?.namespace.close();
    this.serving = projector;
    this.damage = undefined;
  }

  standing(): Standing {
    const { serving, behind } = this;
    const parked = serving?.parkedAccounts ?? 0;
    const beside = behind && behind.projector !== serving ? behind.projector.eventsFolded : 0;
    return {
      projection: this.projection.name,
      generation: serving?.generation ?? null,
      position: serving?.position ?? START,
      checkpoint: serving?.checkpoint ?? START,
      state: this.state,
      fault: this.fault,
      degraded: [
        ...(parked === 0 ? [] : [parkedAccounts(parked)]),
        ...(this.damage === undefined ? [] : [this.damage]),
      ],
      repeats: behind?.projector.repeats ?? serving?.repeats ?? null,
      eventsFolded: this.#foldedBefore + (serving?.eventsFolded ?? 0) + beside,
      isFilling: this.isFilling || behind?.filling !== undefined,
    };
  }
}
