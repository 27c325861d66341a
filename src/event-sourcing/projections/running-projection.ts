import { Unavailable } from '../../kernel/errors.js';
import type { DomainEvent } from '../../kernel/event.js';
import type { Position } from '../../kernel/position.js';
import {
  DamagedNamespaceError,
  DroppedNamespaceError,
  type Namespace,
  type View,
} from '../read-store/read-store.js';
import { Progress } from './progress.js';
import type { Projection } from './projection.js';
import {
  newStanding,
  type ProjectionNews,
  type ProjectionState,
  type Standing,
} from './standing.js';

/** Opens the namespace of a generation. */
export type OpenGeneration = (projection: Projection<DomainEvent>, generation: number) => Namespace;

/** Tells the engine which positions the readers of a projection wait for, and that a reader met damaged documents. */
export interface ReadObserver {
  /** A reader begins to wait for a position, for `timeoutMs` at most. */
  waiting(position: Position, timeoutMs: number): void;
  /** A reader met damaged documents. */
  damaged(): void;
}

/** A projection as this thread knows and reads it, whichever thread or process folds it. */
export class RunningProjection {
  readonly progress: Progress;
  readonly caughtUp: Promise<void>;
  #announceCaughtUp = (): void => undefined;
  #standing: Standing;
  #namespace: Namespace | undefined;
  /** The number of events that earlier threads folded. */
  #foldedBefore = 0;
  /** The kind of the fault that was reported last; null once the projection is live again. */
  #told: string | null = null;
  #stalls = 0;

  /** @param tell is called with news for the operator. @param observer is told of waiting readers and damage. */
  constructor(
    readonly projection: Projection<DomainEvent>,
    private readonly openGeneration: OpenGeneration,
    private readonly tell: (news: ProjectionNews) => void,
    private readonly observer: ReadObserver,
  ) {
    this.progress = new Progress((position, timeoutMs) => observer.waiting(position, timeoutMs));
    this.caughtUp = new Promise((resolve) => (this.#announceCaughtUp = resolve));
    this.#standing = newStanding(projection.name, 'idle');
  }

  get state(): ProjectionState {
    return this.#standing.state;
  }

  /** Why the projection is stuck or stalled, else null. */
  get fault(): unknown {
    return this.#standing.fault;
  }

  get degraded(): readonly string[] {
    return this.#standing.degraded;
  }

  get isFilling(): boolean {
    return this.#standing.isFilling;
  }

  /** How often the subscription delivered nothing although the log had new events. */
  get stalls(): number {
    return this.#stalls;
  }

  get eventsFolded(): number {
    return this.#foldedBefore + this.#standing.eventsFolded;
  }

  /** The namespace of the generation that serves. @throws Unavailable until one serves. */
  get namespace(): Namespace {
    if (this.#namespace) return this.#namespace;
    throw new Unavailable(
      `read model ${this.projection.name}`,
      'none of its generations serves yet',
    );
  }

  /**
   * Reads one state of the generation that serves. `read` may run again.
   * @param reader the name of a reader that takes turns with other readers.
   * @throws Unavailable when the store has lost writes or is damaged, and when no generation serves yet.
   */
  async read<Result>(read: (view: View) => Promise<Result>, reader?: string): Promise<Result> {
    try {
      return await this.#readServing(read, reader);
    } catch (error) {
      if (error instanceof DroppedNamespaceError) {
        // Another process may have filled the namespace again. No view gives less than was seen before.
        await this.namespace.checkpoint();
        return this.#readServing(read, reader);
      }
      if (!(error instanceof DamagedNamespaceError)) throw error;
      this.observer.damaged();
      throw new Unavailable('read store', error);
    }
  }

  #readServing<Result>(
    read: (view: View) => Promise<Result>,
    reader: string | undefined,
  ): Promise<Result> {
    const { checkpoint: least } = this.#standing;
    return this.namespace.read((view) => {
      if (view.checkpoint >= least) return read(view);
      throw new Unavailable('read store', 'it lacks data that was written to it');
    }, reader);
  }

  /** Adopts a standing that the engine reports, and tells the operator and the readers what has changed. */
  follow(standing: Standing): void {
    const before = this.#standing;
    const { name: projection } = this.projection;
    if (standing.generation !== null && standing.generation !== before.generation) {
      void this.#namespace?.close();
      this.#namespace = this.openGeneration(this.projection, standing.generation);
      if (before.generation !== null) {
        this.tell({ projection, kind: 'switched', generation: standing.generation });
      }
    }
    this.#standing = standing;
    this.#tellOf(standing, before);
    if (standing.generation === null) this.#namespace = undefined;
    if (standing.position !== this.progress.position) this.progress.moveTo(standing.position);
    if (standing.generation !== null && standing.state === 'live') this.#announceCaughtUp();
  }

  /** Records that the folding thread ended, and keeps the number of events that the thread folded. */
  lose(fault: unknown): void {
    this.#foldedBefore += this.#standing.eventsFolded;
    this.follow({ ...this.#standing, state: 'stuck', fault, eventsFolded: 0 });
  }

  /** Tells the operator what has changed. A fault that recurs, perhaps for hours, is told only once. */
  #tellOf(standing: Standing, before: Standing): void {
    const { state, fault, degraded, repeats } = standing;
    const { name: projection } = this.projection;
    if (state === 'stalled' && before.state !== 'stalled') this.#stalls += 1;
    if (state === 'stuck' || state === 'stalled') {
      if (this.#told === kindOfFault(standing)) return;
      this.#told = kindOfFault(standing);
      this.tell({ projection, kind: state, error: fault });
    } else if (state === 'live' && this.#told !== null) {
      this.#told = null;
      this.tell({ projection, kind: 'goes-on' });
    }
    if (repeats !== null && repeats !== before.repeats) {
      this.tell({ projection, kind: 'repeats', repeats });
    }
    for (const problem of degraded) {
      if (!before.degraded.includes(problem)) this.tell({ projection, kind: 'degraded', problem });
    }
  }
}

/** Returns the part of a fault that stays the same while it recurs. Times and positions in its message differ. */
function kindOfFault({ state, fault }: Standing): string {
  if (state === 'stalled') return state;
  const part = fault instanceof Error && 'part' in fault ? fault.part : undefined;
  return typeof part === 'string' ? part : String(fault);
}
