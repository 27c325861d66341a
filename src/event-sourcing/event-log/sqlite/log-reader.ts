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

/** The bounds of a stream's page, for which a request waits. It must not hold up other requests. */
const PAGE = { events: 300, bytes: 1_000_000 };
/**
 * The bounds of a batch, which the rest of its last append may make longer. V8 takes the objects of
 * longer batches for lasting ones, and collects them at a higher price: a sixth of a replay.
 */
const BATCH = { events: 200, bytes: BATCH_BYTES };

const IN_RANGE = 'position > @after AND position <= @end';

/** The rows after `after`, up to `end`. */
interface Rows {
  readonly after: number;
  readonly end: number;
}

/**
 * Prepares reads of the first rows of a selection that fill a page. Their sizes are read before,
 * which costs little, so that large events do not fill the memory.
 */
function pagesOf<Selection extends object>(
  db: Database.Database,
  where: string,
  order: string,
  most: typeof PAGE,
): (selection: Selection) => StreamPage {
  const rows = `FROM events WHERE ${where} ORDER BY ${order}`;
  const readSizes = db
    .prepare<[Selection], number>(
      `SELECT octet_length(data) + octet_length(metadata) ${rows} LIMIT ${most.events}`,
    )
    .pluck();
  // The plus sign is that of SQL_LIMIT.
  const read = db
    .prepare<[Selection & { count: number }], Row>(`SELECT ${COLUMNS} ${rows} LIMIT +@count`)
    .raw();
  return (selection) => {
    const sizes = readSizes.all(selection);
    let count = 0;
    for (let bytes = 0; count < sizes.length && bytes < most.bytes; count += 1) {
      bytes += sizes[count] ?? 0;
    }
    const events = read.all({ ...selection, count }).map(recordedEvent);
    return { events, more: count === most.events || count < sizes.length };
  };
}

export class LogReader {
  readonly #page;
  readonly #batch;
  readonly #rest;
  readonly #id;
  readonly #head;
  readonly #first;

  constructor(db: Database.Database) {
    this.#page = pagesOf<{ stream: string; from: number }>(
      db,
      'stream = @stream AND revision >= @from',
      'revision',
      PAGE,
    );
    this.#batch = pagesOf<Rows>(db, IN_RANGE, 'position', BATCH);
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
    return this.#page({ stream, from });
  }

  /** Returns the next events after a row, up to row `end`, and the rest of the last append. */
  batch(after: number, end: number): readonly RecordedEvent[] {
    const { events } = this.#batch({ after, end });
    const last = events.at(-1);
    const followers = last ? followersOf(last) : 0;
    if (!last || followers === 0) return events;
    const row = rowIdIn(last.position);
    return [...events, ...this.#rest.all({ after: row, end: row + followers }).map(recordedEvent)];
  }
}
