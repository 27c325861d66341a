import type { Filter } from 'mongodb';
import type { Position } from '../../../kernel/position.js';
import type { Call } from './connection.js';
import { CURRENT, type OpenCollection, type Row } from './rows.js';
import type { NamespaceRecord } from './namespace-record.js';

/** Deletes rows that no reader sees any more. A committed batch starts a sweep and does not wait for it. */
export class Sweep {
  #sweptAtMs = performance.now();
  #sweptTo: Position;
  #voidsSwept = false;

  /** @param taken the record when the term began. Rows of earlier terms that begin after its checkpoint are void. */
  constructor(
    private readonly collections: readonly OpenCollection[],
    private readonly taken: NamespaceRecord,
    private readonly everyMs: number,
    private readonly call: Call,
  ) {
    this.#sweptTo = taken.floor;
  }

  /** Sweeps unless the last sweep was less than `everyMs` ago. @param floor the floor that was just committed. */
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

  /** Deletes the rows that match `filter`. Rows that cannot be deleted now are deleted by the next sweep. */
  #delete(filter: Filter<Row>, done: () => void): void {
    const deleting = this.collections.map(({ rows }) => this.call(() => rows.deleteMany(filter)));
    Promise.all(deleting).then(done, () => undefined);
  }
}
