import type { DomainEvent } from '../../kernel/event.js';
import { type Position, START } from '../../kernel/position.js';
import type { ReadModel } from '../../read-store/read-store.js';
import type { Projection } from '../projection.js';
import { ProjectorCondition, type ProjectorNews, type ProjectorState } from '../projector-state.js';
import { Progress } from '../progress.js';
import type { RunningProjection } from '../running-projection.js';
import { restored } from './carried-error.js';
import type { Standing } from './thread-messages.js';

/** When a generation that could not be opened is tried again. */
const AGAIN_AFTER_MS = 1_000;

/** A projection that another thread folds, as this one reads it. */
export class ThreadedProjection implements RunningProjection {
  readonly progress: Progress;
  readonly caughtUp: Promise<void>;
  readonly #condition: ProjectorCondition;
  #announceCaughtUp = (): void => undefined;
  /** By threads that are gone. */
  #foldedBefore = 0;
  /** By the one that runs. */
  #folded = 0;
  /** What the thread knows that somebody waits for. */
  #hurriedTo: Position = START;
  #last: Standing | undefined;
  /** One after another, as one may have to wait for a generation to open. */
  #following: Promise<void> = Promise.resolve();

  /** @param hurry tells the thread of a position that somebody waits for; gives false when there is no thread to tell. */
  constructor(
    readonly projection: Projection<DomainEvent>,
    readonly model: ReadModel,
    private readonly tell: (news: ProjectorNews) => void,
    hurry: (position: Position, timeoutMs: number) => boolean,
  ) {
    this.progress = new Progress((position, timeoutMs) => {
      if (position <= this.#hurriedTo) return;
      if (hurry(position, timeoutMs)) this.#hurriedTo = position;
    });
    this.#condition = new ProjectorCondition(projection.name, tell);
    this.caughtUp = new Promise((resolve) => (this.#announceCaughtUp = resolve));
  }

  get state(): ProjectorState {
    return this.#condition.state;
  }

  get fault(): unknown {
    return this.#condition.fault;
  }

  get eventsFolded(): number {
    return this.#foldedBefore + this.#folded;
  }

  /** Goes along with the thread that folds. */
  follow(standing: Standing): void {
    this.#last = standing;
    this.#following = this.#following.then(async () => {
      try {
        await this.#goOver(standing);
        this.#stand(standing);
      } catch (error) {
        this.#condition.stick(error, this.progress.position);
        // There may be nothing more to be told for a long time.
        setTimeout(() => this.#last === standing && this.follow(standing), AGAIN_AFTER_MS).unref();
      }
    });
  }

  /** The thread that folds is gone, and with it the count of what it folded. */
  lose(fault: unknown): void {
    this.#last = undefined;
    this.#following = this.#following.then(() => {
      this.#foldedBefore += this.#folded;
      this.#folded = 0;
      this.#hurriedTo = START;
      this.#condition.stick(fault, this.progress.position);
    });
  }

  /** Reads the generation that is folded from when on that is as far as the one before. */
  async #goOver({ generation, position }: Standing): Promise<void> {
    if (generation <= this.model.generation || position < this.progress.position) return;
    const next = await this.model.successor();
    // One that came to serve later still is not folded yet.
    if (next?.model.generation !== generation) {
      await next?.discard();
      return;
    }
    await next.serve();
    this.tell({ projection: this.projection.name, state: 'gone-over', generation });
  }

  #stand({ generation, position, state, fault, eventsFolded }: Standing): void {
    this.#folded = eventsFolded;
    if (state === 'stuck') this.#condition.stick(fault && restored(fault), position);
    else if (state === 'catching-up') this.#condition.catchUp();
    // Of another generation the position says nothing about what is read here.
    if (generation !== this.model.generation) return;
    // A thread that begins has yet to look how far the one before it was.
    if (position !== START || state !== 'catching-up') this.progress.moveTo(position);
    if (state === 'live' && this.state !== 'live') {
      this.#condition.live();
      this.#announceCaughtUp();
    }
  }
}
