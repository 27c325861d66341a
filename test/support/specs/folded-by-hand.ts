import type { DomainEvent, Recorded } from '../../../src/kernel/event.js';
import { type Position, START } from '../../../src/kernel/position.js';
import type { EventLog } from '../../../src/event-sourcing/event-log/event-log.js';
import { fold } from '../../../src/event-sourcing/projections/fold.js';
import type { Projection } from '../../../src/event-sourcing/projections/projection.js';
import { Projections } from '../../../src/event-sourcing/projections/projections.js';
import { ReadModels } from '../../../src/event-sourcing/projections/read-model.js';
import { ReadYourWrites } from '../../../src/event-sourcing/projections/read-your-writes.js';
import { collectionsOf } from '../../../src/event-sourcing/projections/stored-projection.js';
import type { Namespace, ReadStore } from '../../../src/event-sourcing/read-store/read-store.js';

const NAME = 'main.by-hand.v1.g1.p0';

/** A projection that a test folds batch by batch, with the read models that a directory reads. */
export class FoldedByHand {
  readonly models: ReadModels;
  readonly #namespace: Namespace;
  readonly #projections: Projections;
  #checkpoint: Position = START;

  constructor(
    private readonly projection: Projection<DomainEvent>,
    store: ReadStore,
    log: EventLog,
  ) {
    this.#namespace = store.namespace(NAME, collectionsOf(projection));
    this.#projections = new Projections(
      [projection],
      () => this.#namespace,
      () => undefined,
      () => ({
        start: () => undefined,
        stop: () => Promise.resolve(),
        hurry: () => undefined,
        damaged: () => undefined,
      }),
    );
    this.models = new ReadModels(this.#projections, new ReadYourWrites(log, this.#projections, 0));
    this.#stand();
  }

  /** Folds events in one batch. */
  async fold(batch: readonly Recorded<DomainEvent>[]): Promise<void> {
    const reached = batch.at(-1)?.position;
    if (reached === undefined) return;
    await this.#namespace.write(this.#checkpoint, reached, (view) =>
      fold(this.projection, batch, view),
    );
    this.#checkpoint = reached;
    this.#stand();
  }

  #stand(): void {
    this.#projections.get(this.projection.name).follow({
      projection: this.projection.name,
      generation: 1,
      position: this.#checkpoint,
      checkpoint: this.#checkpoint,
      state: 'live',
      fault: null,
      degraded: [],
      repeats: null,
      eventsFolded: 0,
      isFilling: false,
    });
  }
}
