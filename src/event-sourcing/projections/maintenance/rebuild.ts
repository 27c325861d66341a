import { eventsUpToHead } from '../../event-log/events-up-to-head.js';
import { type Position, START } from '../../../kernel/position.js';
import { decodeBatch, partOfBatch } from '../decoded-batch.js';
import { foldAhead, foldParts } from '../fold-ahead.js';
import { GenerationWriter } from '../generation-writer.js';
import type { Generations } from '../generations.js';
import type { ReadSide, Sources } from '../read-side.js';

export interface FoldOptions {
  readonly signal?: AbortSignal;
  /** Called after each batch with the position that is reached, and the number of folded events. */
  readonly onProgress?: (reached: Position, folded: number) => void;
}

/** A fold of the whole log into a new generation, beside the one that serves. */
export class Rebuild {
  readonly writer: GenerationWriter;
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
    this.writer = new GenerationWriter(readSide, generations.open(generation, true), sources.log);
  }

  /** Folds the log up to a position, and no further. */
  async foldTo(position: Position): Promise<void> {
    const { writer, options } = this;
    if (writer.position >= position) return;
    const { log, registry } = this.sources;
    const { signal, onProgress } = options;
    const batches = eventsUpToHead(log, writer.position, signal);
    const parts = foldParts(writer, batches, (batch) =>
      partOfBatch(decodeBatch(batch, registry), START, position),
    );
    for await (const part of foldAhead(parts, () => true)) {
      await writer.write(part);
      onProgress?.(writer.position, writer.eventsFolded);
      if (writer.position >= position) break;
    }
    signal?.throwIfAborted();
  }

  /** Folds the rest of the log, and lets this generation serve. */
  async serve(): Promise<void> {
    const { signal } = this.options;
    await this.foldTo(await this.sources.log.head(this.writer.position));
    // Folds what came meanwhile. The service folds the rest before it switches to the generation.
    await this.foldTo(await this.sources.log.head(this.writer.position));
    await this.writer.namespace.settle(signal);
    signal?.throwIfAborted();
    await this.writer.namespace.serve();
    this.#isServing = true;
  }

  async end(): Promise<void> {
    if (this.#isServing) await this.writer.namespace.close();
    else await this.sources.store.drop(this.#name);
  }
}
