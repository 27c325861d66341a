import type Database from 'better-sqlite3';
import { type Position, START } from '../../../kernel/position.js';
import {
  BATCH_BYTES,
  followersOf,
  type LogIdentity,
  type RecordedEvent,
  type StreamPage,
} from '../event-log.js';
import { COLUMNS, positionOf, recordedEvent, type Row, rowIdIn } from './stored-form.js';

/** The most events in a page or batch. The rest of the last append may make a batch longer. */
const MOST_EVENTS = 300;
/** The bound of a stream's page: a request waits for it, and it must not hold up other requests. */
const PAGE_BYTES = 1_000_000;

const IN_RANGE = 'position > @after AND position <= @end';

/** The rows after `after`, up to `end`. */
interface Rows {
  readonly after: number;
  readonly end: number;
}

/** A row, and the bytes of all rows of the selection up to it. */
type Summed = [...Row, bytesToHere: number];

/**
 * Selects the first rows that fill a page. It sums their sizes first, which costs little, so that
 * large events do not fill the memory.
 */
const pageQuery = (where: string, order: string, mostBytes: number): string => `
  SELECT ${COLUMNS}, bytes_to_here FROM events JOIN (
    SELECT position AS place, bytes, sum(bytes) OVER (ORDER BY ${order}) AS bytes_to_here FROM (
      SELECT position, revision, octet_length(data) + octet_length(metadata) AS bytes
      FROM events WHERE ${where} ORDER BY ${order} LIMIT ${MOST_EVENTS}))
  ON position = place WHERE bytes_to_here - bytes < ${mostBytes} ORDER BY position`;

export class LogReader {
  readonly #page;
  readonly #batch;
  readonly #rest;
  readonly #id;
  readonly #head;
  readonly #first;

  constructor(db: Database.Database) {
    this.#page = db
      .prepare<[{ stream: string; from: number }], Summed>(
        pageQuery('stream = @stream AND revision >= @from', 'revision', PAGE_BYTES),
      )
      .raw();
    this.#batch = db.prepare<[Rows], Summed>(pageQuery(IN_RANGE, 'position', BATCH_BYTES)).raw();
    this.#rest = db
      .prepare<[Rows], Row>(`SELECT ${COLUMNS} FROM events WHERE ${IN_RANGE} ORDER BY position`)
      .raw();
    this.#id = db.prepare<[number], string>('SELECT id FROM events WHERE position = ?').pluck();
    this.#head = db.prepare<[], number>('SELECT coalesce(max(position), 0) FROM events').pluck();
    this.#first = db
      .prepare<[], [row: number, id: string, stream: string]>(
        'SELECT position, id, stream FROM events ORDER BY position LIMIT 1',
      )
      .raw();
  }

  /** Returns the number of the last row; 0 in an empty log. */
  headRow(): number {
    return this.#head.get() ?? 0;
  }

  identity(): LogIdentity | null {
    const first = this.#first.get();
    if (!first) return null;
    const [row, id, stream] = first;
    return { id, position: positionOf(row, id), stream };
  }

  /** Returns a row's position: START for row 0; for a missing row, one that nobody else has. */
  position(row: number): Position {
    return row === 0 ? START : positionOf(row, this.#id.get(row) ?? '');
  }

  page(stream: string, from: number): StreamPage {
    const rows = this.#page.all({ stream, from });
    const isFull = rows.length === MOST_EVENTS || (rows.at(-1)?.[8] ?? 0) >= PAGE_BYTES;
    return { events: rows.map(recordedEvent), more: isFull };
  }

  /** Returns the next events after a row, up to row `end`, and the rest of the last append. */
  batch(after: number, end: number): RecordedEvent[] {
    const events = this.#batch.all({ after, end }).map(recordedEvent);
    const last = events.at(-1);
    const followers = last ? followersOf(last) : 0;
    if (!last || followers === 0) return events;
    const row = rowIdIn(last.position);
    return [...events, ...this.#rest.all({ after: row, end: row + followers }).map(recordedEvent)];
  }
}
