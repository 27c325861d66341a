import { type Position, START } from '../../../kernel/position.js';

/** The most samples of checkpoints that are taken within `keptForMs`. */
const SAMPLES = 20;

/** Remembers when checkpoints were committed, by the clock of this process, to know which old versions may be swept. */
export class Floor {
  readonly #samples: { readonly checkpoint: Position; readonly atMs: number }[] = [];
  #reached: Position = START;

  /** @param keptForMs how long a version is kept after a newer version took its place. */
  constructor(private readonly keptForMs: number) {}

  committed(checkpoint: Position): void {
    const atMs = performance.now();
    const last = this.#samples.at(-1);
    if (last && atMs - last.atMs < this.keptForMs / SAMPLES) return;
    this.#samples.push({ checkpoint, atMs });
  }

  /** @returns the latest sampled checkpoint that was committed at least `keptForMs` ago; START while there is none. */
  reached(): Position {
    const now = performance.now();
    for (;;) {
      const [first] = this.#samples;
      if (!first || now - first.atMs < this.keptForMs) return this.#reached;
      this.#reached = first.checkpoint;
      this.#samples.shift();
    }
  }
}
