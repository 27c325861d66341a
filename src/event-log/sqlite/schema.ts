import type Database from 'better-sqlite3';

/** Names of streams end in what tells them apart; so many characters keep the index a third as long as whole names do. */
const STREAM_END = 12;

/**
 * The condition that a row is of a stream, in the words that its index answers. Names that end alike are told apart.
 * @param name what gives the name of the stream: a parameter or a column.
 */
export function ofStream(name: string): string {
  return `substr(stream, -${STREAM_END}) = substr(${name}, -${STREAM_END}) AND stream = ${name}`;
}

/** The triggers keep the log append-only for every statement, ours and those of whoever opens the file. */
const TABLE = `
CREATE TABLE IF NOT EXISTS events (
  position INTEGER PRIMARY KEY,
  stream   TEXT    NOT NULL,
  revision INTEGER NOT NULL,
  id       TEXT    NOT NULL,
  type     TEXT    NOT NULL,
  version  INTEGER NOT NULL,
  data     TEXT    NOT NULL,
  metadata TEXT    NOT NULL
) STRICT;
CREATE TRIGGER IF NOT EXISTS events_are_never_updated BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER IF NOT EXISTS events_are_never_replaced BEFORE INSERT ON events
  WHEN EXISTS (SELECT 1 FROM events WHERE ${ofStream('NEW.stream')} AND revision = NEW.revision)
    OR EXISTS (SELECT 1 FROM events WHERE position = NEW.position)
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER IF NOT EXISTS events_are_never_deleted BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
`;

const INDEX = `
CREATE INDEX IF NOT EXISTS events_of_stream ON events (substr(stream, -${STREAM_END}), revision)
`;

/**
 * Makes what is missing of the log's table. One that was made with whole names in a unique index keeps that instead,
 * which answers the same conditions.
 */
export function makeSchema(db: Database.Database): void {
  db.exec(TABLE);
  const unique = db.prepare(`SELECT 1 FROM pragma_index_list('events') WHERE origin = 'u'`).get();
  if (unique === undefined) db.exec(INDEX);
}
