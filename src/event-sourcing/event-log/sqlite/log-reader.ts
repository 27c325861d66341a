import type Database from 'better-sqlite3';
import { type Position, START } from '../../../kernel/position.js';
import { UP_TO } from '../../sqlite/limit.js';
import { followersOf, type LogIdentity, type RecordedEvent } from '../event-log.js';
import { COLUMNS, positionOf, recorded, type Row } from './rows.js';

/** The greatest number of events in a page or batch. The rest of the last append may make a batch longer. */
const MOST_EVENTS = 300;

const SIZE = 'octet_length(data) + octet_length(metadata)';
const IN_RANGE = `position > @after AND position <= @end
  AND (@types IS NULL OR type IN (SELECT value FROM json_each(@types)))`;

/** The rows after `after`, up to `end`. `types` is a JSON list of the wanted types, or null for all types. */
interface Range {
  readonly after: number;
  readonly end: number;
  readonly types: string | null;
}

/** The place of a row (its position, or its revision), and the bytes of its JSON. */
type Size = [place: number, bytes: number];

/** The rows that fit into a page or batch. */
interface Fitting {
  /** The place of the last row that fits; undefined when there is no row. */
  readonly last: number | undefined;
  /** Whether more rows may follow. */
  readonly cut: boolean;
}

/** Reads the table of events. It reads sizes first, which costs little, so that large events do not fill the memory. */
export class LogReader {
  readonly #sizesInStream;
  readonly #rowsInStream;
  readonly #sizes;
  readonly #rows;
  readonly #row;
  readonly #head;
  readonly #first;
  readonly #last;

  constructor(db: Database.Database) {
    this.#sizesInStream = db
      .prepare<[string, number, number], Size>(
        `SELECT revision, ${SIZE} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision ${UP_TO}`,
      )
      .raw();
    this.#rowsInStream = db
      .prepare<[string, number, number], Row>(
        `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision`,
      )
      .raw();
    this.#sizes = db
      .prepare<[number, Range], Size>(
        `SELECT position, ${SIZE} FROM events WHERE ${IN_RANGE} ORDER BY position ${UP_TO}`,
      )
      .raw();
    this.#rows = db
      .prepare<[Range], Row>(`SELECT ${COLUMNS} FROM events WHERE ${IN_RANGE} ORDER BY position`)
      .raw();
    this.#row = db.prepare<[number], Row>(`SELECT ${COLUMNS} FROM events WHERE position = ?`).raw();
    this.#head = db.prepare<[], number>('SELECT coalesce(max(position), 0) FROM events').pluck();
    const edge = (order: string) =>
      db
        .prepare<[], [row: number, id: string]>(
          `SELECT position, id FROM events ORDER BY position ${order} LIMIT 1`,
        )
        .raw();
    this.#first = edge('ASC');
    this.#last = edge('DESC');
  }

  /** Returns the number of the last row; 0 in an empty log. */
  headRow(): number {
    return this.#head.get() ?? 0;
  }

  head(): Position {
    const last = this.#last.get();
    return last ? positionOf(...last) : START;
  }

  identity(): LogIdentity | null {
    const first = this.#first.get();
    return first ? { id: first[1], position: positionOf(...first) } : null;
  }

  /** Returns the event in a row; undefined when there is no such row. */
  event(row: number): RecordedEvent | undefined {
    const found = this.#row.get(row);
    return found && recorded(found);
  }

  /** Returns the events of a stream from a revision on, within `mostBytes`, and whether more events may follow. */
  page(stream: string, from: number, mostBytes: number): { events: RecordedEvent[]; cut: boolean } {
    const { last, cut } = fitting(this.#sizesInStream.all(stream, from, MOST_EVENTS), mostBytes);
    if (last === undefined) return { events: [], cut };
    return { events: this.#rowsInStream.all(stream, from, last).map(recorded), cut };
  }

  /**
   * Returns the next events after a row, within `mostBytes` and up to row `end`, and then the rest of the last append.
   * @returns also `reached`, the last row that was searched.
   */
  batch(
    after: number,
    end: number,
    wanted: readonly string[] | undefined,
    mostBytes: number,
  ): { events: RecordedEvent[]; reached: number } {
    const types = wanted ? JSON.stringify(wanted) : null;
    const { last, cut } = fitting(this.#sizes.all(MOST_EVENTS, { after, end, types }), mostBytes);
    const reached = this.#endOfAppend(cut && last !== undefined ? last : end);
    return { events: this.#rows.all({ after, end: reached, types }).map(recorded), reached };
  }

  /** Returns the last row of the append that a row is part of. */
  #endOfAppend(row: number): number {
    const event = this.event(row);
    return event ? Math.min(row + followersOf(event), this.headRow()) : row;
  }
}

/** Finds the last row that fits into a batch. The first row always fits. @param mostBytes the bound of the batch. */
function fitting(sizes: readonly Size[], mostBytes: number): Fitting {
  let last: number | undefined;
  let bytes = 0;
  for (const [place, size] of sizes) {
    bytes += size;
    if (last !== undefined && bytes > mostBytes) return { last, cut: true };
    last = place;
  }
  return { last, cut: sizes.length === MOST_EVENTS };
}
