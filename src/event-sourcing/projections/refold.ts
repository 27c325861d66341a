import type { DomainEvent } from '../../kernel/event.js';
import type { Position } from '../../kernel/position.js';
import { replay } from './replay.js';
import { compare, type Comparison } from './compare.js';
import type { DecodedBatch } from './decoded-batch.js';
import type { Filling, Generations } from './generations.js';
import { LogIdentity } from './log-identity.js';
import type { Projection } from './projection.js';
import { Projector } from './projector.js';
import type { Sources } from './sources.js';

export interface FoldOptions {
  readonly signal?: AbortSignal;
  /** Called after each batch with the position that the fold has reached, and the number of events folded so far. */
  readonly onProgress?: (reached: Position, folded: number) => void;
}

/** A fold of the whole log into a generation beside the one that serves. */
export class Refold {
  readonly projector: Projector;
  readonly #identity: LogIdentity;
  #isServing = false;

  private constructor(
    projection: Projection<DomainEvent>,
    private readonly filling: Filling,
    private readonly sources: Sources,
    private readonly options: FoldOptions,
  ) {
    this.projector = new Projector(projection, filling.generation, filling.namespace);
    this.#identity = new LogIdentity(sources.log);
  }

  static async begin(
    projection: Projection<DomainEvent>,
    generations: Generations,
    sources: Sources,
    options: FoldOptions,
  ): Promise<Refold> {
    return new Refold(projection, await generations.fill(projection), sources, options);
  }

  /** Folds the log up to a position, and no further. */
  async to(position: Position): Promise<void> {
    const { projector, sources, options } = this;
    if (projector.position >= position) return;
    await replay([projector], sources, options.signal, async (batch) => {
      await projector.apply(upTo(batch, position), this.#identity, false);
      options.onProgress?.(projector.position, projector.eventsFolded);
      return projector.position < position;
    });
    options.signal?.throwIfAborted();
  }

  /** Compares the generation that serves with this fold, after folding up to the checkpoint of that generation. */
  async compareWith(serving: Projector): Promise<Comparison> {
    await this.to(await serving.namespace.checkpoint());
    return compare(this.projector, serving.namespace, (checkpoint) => this.to(checkpoint));
  }

  /** Folds the rest of the log, and lets this generation serve. */
  async serve(): Promise<void> {
    const { projector, sources, options, filling } = this;
    await this.to(await sources.log.head());
    // Folds the events that came meanwhile. The service folds the rest before it switches to this generation.
    await this.to(await sources.log.head());
    await projector.save(this.#identity);
    await projector.namespace.settle(options.signal);
    options.signal?.throwIfAborted();
    await filling.serve();
    this.#isServing = true;
  }

  /** Removes the generation unless it serves, and releases the lease that protects the filling from being swept. */
  async end(): Promise<void> {
    const { store } = this.sources;
    if (!this.#isServing) await store.drop(this.filling.name);
    await this.filling.end();
  }
}

/** Returns a batch without the events after a position. */
function upTo(batch: DecodedBatch, position: Position): DecodedBatch {
  if (batch.reached <= position) return batch;
  const isWithin = (one: { readonly position: Position }): boolean => one.position <= position;
  return {
    events: batch.events.filter(isWithin),
    unreadable: batch.unreadable.filter(isWithin),
    reached: position,
  };
}
