import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Read } from '../../kernel/read.js';
import { MOST_ANSWER_BYTES, sizeOf } from '../../kernel/sizes.js';
import type { View } from '../read-store/read-store.js';
import type { ReadModel } from './read-model.js';

/** Rows of a list in its order, from one state of the read model. */
export interface Part<Row> {
  readonly rows: readonly Row[];
  /** The place after which the next part begins; null when no part follows. */
  readonly next: string | null;
}

export interface PlacedPage<Shown> {
  readonly records: readonly Shown[];
  /** The place after which the next page begins; null for the last page. */
  readonly next: string | null;
  /** The place of the last row that the page examined; null when it examined none. */
  readonly end: string | null;
}

/** The functions that read and show the rows of a list, and its bounds. */
export interface Listing<Types, Row, Shown> {
  /** Reads rows after a place, from the first one without it. A part has at most `limit` rows. */
  readonly read: (view: View<Types>, after?: string, limit?: number) => Promise<Part<Row>>;
  /** Returns the record that shows a row; null for a row that does not match. */
  readonly recordOf: (row: Row) => Shown | null;
  readonly placeOf: (row: Row) => string;
  /** The most rows that a page examines, matching or not. By default as many as it may have. */
  readonly mostExamined?: number;
  /** The most bytes of an answer without its records: a cursor and the names of fields. */
  readonly frameBytes: number;
}

/** A list of an account, as a page or whole. */
export class ListInParts<Types, Row, Shown extends object> {
  constructor(
    private readonly model: ReadModel<Types>,
    private readonly accountId: string,
    private readonly listing: Listing<Types, Row, Shown>,
  ) {}

  /** Returns the page after a place. It waits, with a time-out, for all writes answered earlier. */
  async page(limit: number, after?: string): Promise<Read<PlacedPage<Shown>>> {
    // One row more than the page has shows whether another page follows.
    const { found, isLate } = await this.model.read(this.accountId, (view) =>
      this.listing.read(view, after, limit + 1),
    );
    return { found: await this.#fillPage(limit, found), isLate };
  }

  /** Returns the page after a place, but does not wait for writes. */
  async pageNow(limit: number, after?: string): Promise<PlacedPage<Shown>> {
    const first = await this.model.readNow(this.accountId, (view) =>
      this.listing.read(view, after, limit + 1),
    );
    return this.#fillPage(limit, first);
  }

  /** Returns all records, in chunks. Waits as a page does; resolves when a first part is read. */
  async stream(): Promise<Read<AsyncIterable<readonly Shown[]>>> {
    const { found, isLate } = await this.model.read(this.accountId, (view) =>
      this.listing.read(view),
    );
    return { found: this.chunks(found), isLate };
  }

  /** Yields the records of the first part, and of further ones when the consumer asks for them. */
  async *chunks(first: Part<Row>): AsyncGenerator<readonly Shown[]> {
    for await (const rows of this.#parts(first)) {
      // An empty chunk is delivered too, so that a reader who has left is noticed.
      yield rows.map(this.listing.recordOf).filter((record) => record !== null);
    }
  }

  async *#parts(first: Part<Row>): AsyncGenerator<readonly Row[]> {
    let part = first;
    for (;;) {
      yield part.rows;
      const { next } = part;
      if (next === null) return;
      // Each part is read from a state of its own, because a slow reader must not hold a state of
      // the store for long.
      part = await this.model.readNow(this.accountId, (view) => this.listing.read(view, next));
      // Other requests get a turn here, because a fast reader of an embedded store could otherwise
      // block them. The turn comes after the read: a reader who left during a turn before the read
      // would cause a useless read.
      await nextTurn();
    }
  }

  /** Takes records until a page is full or reaches its bounds, and looks whether a row follows. */
  async #fillPage(limit: number, first: Part<Row>): Promise<PlacedPage<Shown>> {
    const { recordOf, placeOf, mostExamined = limit, frameBytes } = this.listing;
    const records: Shown[] = [];
    let end: string | null = null;
    let examined = 0;
    let bytesLeft = MOST_ANSWER_BYTES - frameBytes;
    for await (const rows of this.#parts(first)) {
      for (const row of rows) {
        const record = recordOf(row);
        bytesLeft -= record ? Buffer.byteLength(JSON.stringify(record)) + 1 : sizeOf(row);
        const isFull =
          examined === mostExamined ||
          bytesLeft < 0 ||
          (record !== null && records.length === limit);
        // One record alone always fits, so that each page has a next one.
        if (isFull && end !== null) return { records, next: end, end };
        if (record) records.push(record);
        examined += 1;
        end = placeOf(row);
      }
    }
    return { records, next: null, end };
  }
}
