import type Database from 'better-sqlite3';
import { type Position, START } from '../../kernel/position.js';
import type { AppendResult, ExpectedRevision } from '../event-log.js';
import { positionOf } from './rows.js';

/** An event as it is written: data and metadata as JSON. */
export type EventTexts = readonly [
  id: string,
  type: string,
  version: number,
  data: string,
  metadata: string,
];

/** Made of plain values, so that it can be handed to another thread. */
export interface Append {
  readonly stream: string;
  readonly events: readonly EventTexts[];
  readonly expected: ExpectedRevision;
}

/** What became of appends that were committed together; the outcomes are in their order. */
export type Committed =
  | { readonly kind: 'done'; readonly outcomes: readonly (AppendResult | 'conflict')[] }
  /** Another process holds the write lock; nothing was written. */
  | { readonly kind: 'locked' }
  /** Nothing was written. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/**
 * Prepares to write to the log's database.
 * @returns what writes appends in one transaction, durable when it returns; those whose expectation does not hold
 * are left out.
 */
export function committing(db: Database.Database): (appends: readonly Append[]) => Committed {
  const insert = db.prepare<[string, number, ...EventTexts]>(
    'INSERT INTO events (stream, revision, id, type, version, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const lastOfStream = db
    .prepare<[string], number>(
      'SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1',
    )
    .pluck();
  const idsOfStream = db.prepare<[string, number, number], { id: string; position: number }>(
    'SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?',
  );

  function write({ stream, events, expected }: Append): AppendResult | 'conflict' {
    const last = lastOfStream.get(stream) ?? -1;
    const wanted = expected === 'no-stream' ? -1 : expected === 'any' ? last : expected;
    if (wanted !== last) return alreadyWritten(stream, events, wanted) ?? 'conflict';
    let revision = last;
    let position: Position = START;
    for (const event of events) {
      revision += 1;
      const inserted = insert.run(stream, revision, ...event);
      position = positionOf(Number(inserted.lastInsertRowid), event[0]);
    }
    return { revision, position };
  }

  function alreadyWritten(
    stream: string,
    events: readonly EventTexts[],
    after: number,
  ): AppendResult | undefined {
    const found = idsOfStream.all(stream, after, events.length);
    const last = found.at(-1);
    if (!last || found.length < events.length) return undefined;
    if (!events.every(([id], index) => found[index]?.id === id)) return undefined;
    return { revision: after + events.length, position: positionOf(last.position, last.id) };
  }

  return (appends) => {
    try {
      db.exec('BEGIN IMMEDIATE');
      const outcomes = appends.map(write);
      db.exec('COMMIT');
      return { kind: 'done', outcomes };
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      return refusal(error);
    }
  };
}

function refusal(error: unknown): Committed {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return code.startsWith('SQLITE_BUSY') ? { kind: 'locked' } : { kind: 'failed', code, message };
}
