import type Database from 'better-sqlite3';
import type { EventMetadata } from '../../../kernel/metadata.js';
import { type Position, START } from '../../../kernel/position.js';
import {
  followersOf,
  type LogIdentity,
  type RecordedEvent,
  type StreamPage,
} from '../event-log.js';
import { COLUMNS, json, positionOf, recorded, type Row } from './rows.js';

/** The greatest number of events in a page or batch. The rest of the last append may make a batch longer. */
const MOST_EVENTS = 300;
/** The bound of a page of a stream. A request waits for its page, and this read must not hold up other requests. */
const PAGE_BYTES = 1_000_000;
/** The bound of a batch of the log, whose events take several times the memory once they are parsed. */
const BATCH_BYTES = 2_000_000;

const IN_RANGE = `position > @after AND position <= @end
  AND (@types IS NULL OR type IN (SELECT value FROM json_each(@types)))`;

/** The rows after `after`, up to `end`. `types` is a JSON list of the wanted types, or null for all types. */
interface Range {
  readonly after: number;
  readonly end: number;
  readonly types: string | null;
}

/** A row, and the bytes of all rows of the selection up to it. */
type Summed = [...Row, bytesToHere: number];

/**
 * Selects the first rows that fill a page. It sums their sizes first, which costs little, so that large events do not
 * fill the memory.
 */
const filling = (where: string, order: string, mostBytes: number): string => `
  SELECT ${COLUMNS}, bytes_to_here FROM events JOIN (
    SELECT position AS place, bytes, sum(bytes) OVER (ORDER BY ${order}) AS bytes_to_here FROM (
      SELECT position, revision, octet_length(data) + octet_length(metadata) AS bytes
      FROM events WHERE ${where} ORDER BY ${order} LIMIT ${MOST_EVENTS}))
  ON position = place WHERE bytes_to_here - bytes < ${mostBytes} ORDER BY position`;

export class LogReader {
  readonly #page;
  readonly #batch;
  readonly #rest;
  readonly #metadata;
  readonly #id;
  readonly #head;
  readonly #first;

  constructor(db: Database.Database) {
    this.#page = db
      .prepare<[{ stream: string; from: number }], Summed>(
        filling('stream = @stream AND revision >= @from', 'revision', PAGE_BYTES),
      )
      .raw();
    this.#batch = db.prepare<[Range], Summed>(filling(IN_RANGE, 'position', BATCH_BYTES)).raw();
    this.#rest = db
      .prepare<[Range], Row>(`SELECT ${COLUMNS} FROM events WHERE ${IN_RANGE} ORDER BY position`)
      .raw();
    this.#metadata = db
      .prepare<[number], string>('SELECT metadata FROM events WHERE position = ?')
      .pluck();
    this.#id = db.prepare<[number], string>('SELECT id FROM events WHERE position = ?').pluck();
    this.#head = db.prepare<[], number>('SELECT coalesce(max(position), 0) FROM events').pluck();
    this.#first = db
      .prepare<[], [row: number, id: string]>(
        'SELECT position, id FROM events ORDER BY position LIMIT 1',
      )
      .raw();
  }

  /** Returns the number of the last row; 0 in an empty log. */
  headRow(): number {
    return this.#head.get() ?? 0;
  }

  identity(): LogIdentity | null {
    const first = this.#first.get();
    return first ? { id: first[1], position: positionOf(...first) } : null;
  }

  /** Returns the position of a row: START for row 0, and for a row that does not exist one that nobody else has. */
  position(row: number): Position {
    return row === 0 ? START : positionOf(row, this.#id.get(row) ?? '');
  }

  /** Returns the events of a stream from a revision on, and whether more events may follow. */
  page(stream: string, from: number): StreamPage {
    const rows = this.#page.all({ stream, from });
    return { events: rows.map(recorded), more: isFull(rows, PAGE_BYTES) };
  }

  /**
   * Returns the next events after a row, up to row `end`, and then the rest of the last append.
   * @returns also `reached`, the last row that was searched.
   */
  batch(
    after: number,
    end: number,
    wanted: readonly string[] | undefined,
  ): { events: RecordedEvent[]; reached: number } {
    const types = wanted ? JSON.stringify(wanted) : null;
    const rows = this.#batch.all({ after, end, types });
    const searched = isFull(rows, BATCH_BYTES) ? (rows.at(-1)?.[0] ?? end) : end;
    const reached = this.#endOfAppend(searched);
    const rest = reached > searched ? this.#rest.all({ after: searched, end: reached, types }) : [];
    return { events: [...rows, ...rest].map(recorded), reached };
  }

  /** Returns the last row of the append that a row is part of. */
  #endOfAppend(row: number): number {
    const metadata = this.#metadata.get(row);
    if (metadata === undefined) return row;
    const followers = followersOf({ metadata: json(metadata) as EventMetadata });
    return Math.min(row + followers, this.headRow());
  }
}

function isFull(rows: readonly Summed[], mostBytes: number): boolean {
  return rows.length === MOST_EVENTS || (rows.at(-1)?.[8] ?? 0) >= mostBytes;
}
