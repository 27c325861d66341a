import type Database from 'better-sqlite3';
import { type Position, START } from '../../../kernel/position.js';
import {
  followersOf,
  type LogIdentity,
  type RecordedEvent,
  type StreamPage,
} from '../event-log.js';
import { COLUMNS, positionOf, recorded, type Row } from './rows.js';

/** The greatest number of events in a page or batch. The rest of the last append may make a batch longer. */
const MOST_EVENTS = 300;

const IN_RANGE = `position > @after AND position <= @end
  AND (@types IS NULL OR type IN (SELECT value FROM json_each(@types)))`;

/** The rows after `after`, up to `end`. `types` is a JSON list of the wanted types, or null for all types. */
interface Range {
  readonly after: number;
  readonly end: number;
  readonly types: string | null;
}

/** Reads the table of events, row by row, so that large events do not fill the memory. */
export class LogReader {
  readonly #rowsInStream;
  readonly #rows;
  readonly #row;
  readonly #head;
  readonly #first;
  readonly #last;

  constructor(db: Database.Database) {
    this.#rowsInStream = db
      .prepare<[string, number], Row>(
        `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision`,
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

  /** Returns the events of a stream from a revision on, up to some `mostBytes`, and whether more events may follow. */
  page(stream: string, from: number, mostBytes: number): StreamPage {
    const events: RecordedEvent[] = [];
    let bytes = 0;
    for (const row of this.#rowsInStream.iterate(stream, from)) {
      events.push(recorded(row));
      bytes += bytesOf(row);
      if (isFull(events, bytes, mostBytes)) return { events, more: true };
    }
    return { events, more: false };
  }

  /**
   * Returns the next events after a row, up to some `mostBytes` and to row `end`, and then the rest of the last append.
   * @returns also `reached`, the last row that was searched.
   */
  batch(
    after: number,
    end: number,
    wanted: readonly string[] | undefined,
    mostBytes: number,
  ): { events: RecordedEvent[]; reached: number } {
    const types = wanted ? JSON.stringify(wanted) : null;
    const last = this.#endOfAppend(end);
    const events: RecordedEvent[] = [];
    let [reached, bytes] = [last, 0];
    for (const row of this.#rows.iterate({ after, end: last, types })) {
      const [position] = row;
      if (position > reached) break;
      const event = recorded(row);
      events.push(event);
      bytes += bytesOf(row);
      if (reached === last && isFull(events, bytes, mostBytes))
        reached = Math.min(position + followersOf(event), last);
    }
    return { events, reached };
  }

  /** Returns the last row of the append that a row is part of. */
  #endOfAppend(row: number): number {
    const event = this.event(row);
    return event ? Math.min(row + followersOf(event), this.headRow()) : row;
  }
}

function isFull(events: readonly RecordedEvent[], bytes: number, mostBytes: number): boolean {
  return events.length >= MOST_EVENTS || bytes >= mostBytes;
}

function bytesOf([, , , , data, metadata]: Row): number {
  return data.length + metadata.length;
}
