import { type Position, START } from '../kernel/position.js';

export const PROJECTOR_STATES = ['idle', 'catching-up', 'live', 'stuck'] as const;
export type ProjectorState = (typeof PROJECTOR_STATES)[number];

/**
 * What is told of a projection: a fault that it did not have at the attempt before, that it is well again, and that what
 * somebody rebuilt is read from here on.
 */
export type ProjectorNews = { readonly projection: string } & (
  | { readonly state: 'stuck'; readonly error: unknown }
  | { readonly state: 'live' }
  | { readonly state: 'gone-over'; readonly generation: number }
);

/** What a projector does, and what keeps it from its work. */
export class ProjectorCondition {
  #state: ProjectorState = 'idle';
  #fault: unknown = null;
  #onChange = (): void => undefined;
  /** Where it met its fault. */
  #stuckAt: Position = START;
  /** The fault that was told last, until it was said that all is well. */
  #told: string | null = null;

  constructor(
    private readonly projection: string,
    private readonly tell: (news: ProjectorNews) => void,
  ) {}

  get state(): ProjectorState {
    return this.#state;
  }

  /** Why it is stuck, else null. */
  get fault(): unknown {
    return this.#fault;
  }

  /** Tells one observer of every change from here on. */
  observe(onChange: () => void): void {
    this.#onChange = onChange;
  }

  /** There is more to fold than what comes. */
  catchUp(): void {
    this.#become('catching-up', null);
  }

  /** The same fault comes at every attempt, which may be for hours, and is told once. */
  stick(error: unknown, at: Position): void {
    this.#stuckAt = at;
    this.#become('stuck', error);
    if (this.#told === String(error)) return;
    this.#told = String(error);
    this.tell({ projection: this.projection, state: 'stuck', error });
  }

  /** It is not up with the log yet, and maybe no farther than before. */
  reach(position: Position): void {
    if (this.#state === 'stuck' && position !== this.#stuckAt) this.catchUp();
  }

  /** It is up with the log. */
  live(): void {
    this.#become('live', null);
    if (this.#told === null) return;
    this.#told = null;
    this.tell({ projection: this.projection, state: 'live' });
  }

  #become(state: ProjectorState, fault: unknown): void {
    this.#state = state;
    this.#fault = fault;
    this.#onChange();
  }
}
