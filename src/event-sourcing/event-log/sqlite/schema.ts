/**
 * The tables of a log. Triggers keep the events append-only for every program that opens the file.
 * `identity` has one row, which says which log the file is, and of which installation.
 */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS identity (log TEXT NOT NULL, installation TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS events (
  position INTEGER PRIMARY KEY,
  stream   TEXT    NOT NULL,
  revision INTEGER NOT NULL,
  id       TEXT    NOT NULL,
  type     TEXT    NOT NULL,
  version  INTEGER NOT NULL,
  metadata TEXT    NOT NULL,
  data     TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS events_of_stream ON events (stream, revision);
CREATE TRIGGER IF NOT EXISTS events_are_never_updated BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER IF NOT EXISTS events_are_never_replaced BEFORE INSERT ON events
  WHEN EXISTS (SELECT 1 FROM events WHERE stream = NEW.stream AND revision = NEW.revision)
    OR EXISTS (SELECT 1 FROM events WHERE position = NEW.position)
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER IF NOT EXISTS events_are_never_deleted BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
`;
