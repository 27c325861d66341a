import { history } from '../../event-log/events-up-to-head.js';
import { type Position, START } from '../../../kernel/position.js';
import { between, decoded } from '../decoded-batch.js';
import { foldedAhead, partsOf } from '../folded-ahead.js';
import { GenerationFold } from '../generation-fold.js';
import type { Generations } from '../generations.js';
import type { ReadSide, Sources } from '../read-side.js';

export interface FoldOptions {
  readonly signal?: AbortSignal;
  /** Called after each batch with the position that is reached, and the number of folded events. */
  readonly onProgress?: (reached: Position, folded: number) => void;
}

/** A fold of the whole log into a new generation, beside the one that serves. */
export class Rebuild {
  readonly fold: GenerationFold;
  readonly #name: string;
  #isServing = false;

  /** @param generation a number that no generation has yet. */
  constructor(
    readSide: ReadSide,
    private readonly sources: Sources,
    private readonly options: FoldOptions,
    generations: Generations,
    generation: number,
  ) {
    this.#name = generations.nameOf(generation);
    this.fold = new GenerationFold(readSide, generations.open(generation, true), sources.log);
  }

  /** Folds the log up to a position, and no further. */
  async to(position: Position): Promise<void> {
    const { fold, options } = this;
    if (fold.position >= position) return;
    const { log, registry } = this.sources;
    const { signal, onProgress } = options;
    const batches = history(log, fold.position, signal);
    const parts = partsOf(fold, batches, (batch) =>
      between(decoded(batch, registry), START, position),
    );
    for await (const part of foldedAhead(parts, () => true)) {
      await fold.write(part);
      onProgress?.(fold.position, fold.eventsFolded);
      if (fold.position >= position) break;
    }
    signal?.throwIfAborted();
  }

  /** Folds the rest of the log, and lets this generation serve. */
  async serve(): Promise<void> {
    const { signal } = this.options;
    await this.to(await this.sources.log.head(this.fold.position));
    // Folds what came meanwhile. The service folds the rest before it switches to the generation.
    await this.to(await this.sources.log.head(this.fold.position));
    await this.fold.namespace.settle(signal);
    signal?.throwIfAborted();
    await this.fold.namespace.serve();
    this.#isServing = true;
  }

  async end(): Promise<void> {
    if (this.#isServing) await this.fold.namespace.close();
    else await this.sources.store.drop(this.#name);
  }
}
