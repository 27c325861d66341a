import { Backoff } from '../kernel/backoff.js';
import type { DomainEvent } from '../kernel/event.js';
import { START } from '../kernel/position.js';
import type { Filling } from './generations.js';
import type { Projection } from './projection.js';
import type { Projector } from './projector.js';
import { parkedAccounts, type ProjectionState, type Standing } from './standing.js';

const BACKOFF_MS = { first: 100, longest: 10_000 };

/** A projector that has to catch up before it goes into the feed. */
export interface CatchingUp {
  readonly projector: Projector;
  /** Where it fills a generation, which is to serve when it is done. Absent: the generation serves already. */
  readonly filling?: Filling;
}

/** A projection as its leader feeds it. */
export class LedProjection {
  /** What serves; undefined until something does. */
  serving: Projector | undefined;
  /** What catches up: what serves itself, or what takes its place. */
  behind: CatchingUp | undefined;
  state: ProjectionState = 'catching-up';
  fault: unknown = null;
  /** Why what serves is folded anew meanwhile. */
  damage: string | undefined;
  isFilling = false;
  /** When it is tried again after a fault. */
  notBefore = 0;
  readonly #backoff = new Backoff(BACKOFF_MS.first, BACKOFF_MS.longest);
  /** Folded by projectors that are gone. */
  #foldedBefore = 0;

  constructor(readonly projection: Projection<DomainEvent>) {}

  /** Puts a fault on record, and the next attempt off. */
  fail(fault: unknown): void {
    this.state = 'stuck';
    this.fault = fault;
    this.notBefore = performance.now() + this.#backoff.next();
  }

  /** It has folded something, and is not up with the log yet. What serves beside it is as it was. */
  progress(): void {
    if (this.state === 'live') return;
    this.state = 'catching-up';
    this.fault = null;
  }

  /** It is fed with what comes. */
  live(): void {
    this.state = 'live';
    this.fault = null;
    this.notBefore = 0;
    this.#backoff.reset();
  }

  /** Lets a projector serve in the place of the one before. */
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
      eventsFolded: this.#foldedBefore + (serving?.eventsFolded ?? 0) + beside,
      isFilling: this.isFilling || behind?.filling !== undefined,
    };
  }
}
