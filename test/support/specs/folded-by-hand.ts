import type { DomainEvent, Recorded } from '../../../src/kernel/event.js';
import { type Position, START } from '../../../src/kernel/position.js';
import type { EventLog } from '../../../src/event-sourcing/event-log/event-log.js';
import { fold } from '../../../src/event-sourcing/projections/fold.js';
import type { Projection } from '../../../src/event-sourcing/projections/projection.js';
import type { ReadModels } from '../../../src/event-sourcing/projections/read-models.js';
import { readSideOf } from '../../../src/event-sourcing/projections/read-side.js';
import type { ReadSideState } from '../../../src/event-sourcing/projections/read-side-state.js';
import type {
  Namespace,
  ReadStore,
  View,
} from '../../../src/event-sourcing/read-store/read-store.js';
import { writeFolded } from '../../contracts/opened-store.js';
import { drivenByHand } from './read-models-here.js';

/** A projection that a test folds batch by batch, with the read models that a directory reads. */
export class FoldedByHand {
  readonly models: ReadModels;
  readonly #readSide: ReturnType<typeof readSideOf>;
  readonly #namespace: Namespace;
  readonly #report: (news: Partial<ReadSideState>) => void;
  #checkpoint: Position = START;

  constructor(projection: Projection<DomainEvent>, store: ReadStore, log: EventLog) {
    this.#readSide = readSideOf('by-hand', [projection]);
    this.#namespace = store.namespace('by-hand.00000000.g1', this.#readSide.collections);
    const driven = drivenByHand(this.#readSide, { open: () => this.#namespace, log });
    this.models = driven.models;
    this.#report = driven.report;
    this.#stand();
  }

  /** Folds events in one batch. */
  async fold(batch: readonly Recorded<DomainEvent>[]): Promise<void> {
    const reached = batch.at(-1)?.position;
    if (reached === undefined) return;
    const { name, evolve } = this.#readSide;
    const folding = {
      name,
      evolve: (...[documents, event]: Parameters<Projection<DomainEvent>['evolve']>) =>
        evolve(documents, event, () => false),
    };
    const folded = (view: View) => fold(folding, batch, view);
    await writeFolded(this.#namespace, this.#checkpoint, reached, folded);
    this.#checkpoint = reached;
    this.#stand();
  }

  #stand(): void {
    this.#report({ generation: 1, position: this.#checkpoint, phase: 'live' });
  }
}
