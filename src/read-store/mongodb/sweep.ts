import type { Filter } from 'mongodb';
import type { Position } from '../../kernel/position.js';
import type { Call } from './connection.js';
import { CURRENT, type OpenCollection, type Row } from './rows.js';
import type { NamespaceRecord } from './namespace-record.js';

/** Deletes rows that no reader sees any more. Committed batches start it, and none waits for it. */
export class Sweep {
  #sweptAtMs = performance.now();
  #sweptTo: Position;
  #voidsSwept = false;

  /** @param taken the record as its writer took the term: every row of an earlier term that begins later is void. */
  constructor(
    private readonly collections: readonly OpenCollection[],
    private readonly taken: NamespaceRecord,
    private readonly everyMs: number,
    private readonly call: Call,
  ) {
    this.#sweptTo = taken.floor;
  }

  /** Sweeps if the last time was long ago. @param floor as it was committed. */
  after(floor: Position): void {
    const now = performance.now();
    if (now - this.#sweptAtMs < this.everyMs) return;
    this.#sweptAtMs = now;
    const ended: Filter<Row> = { to: { $lte: floor } };
    if (floor > this.#sweptTo) this.#delete(ended, () => (this.#sweptTo = floor));
    const { term, checkpoint } = this.taken;
    const voids: Filter<Row> = { to: CURRENT, from: { $gt: checkpoint }, term: { $lt: term } };
    if (!this.#voidsSwept) this.#delete(voids, () => (this.#voidsSwept = true));
  }

  /** What cannot be deleted now is deleted the next time. */
  #delete(filter: Filter<Row>, done: () => void): void {
    const deleting = this.collections.map(({ rows }) => this.call(() => rows.deleteMany(filter)));
    Promise.all(deleting).then(done, () => undefined);
  }
}
