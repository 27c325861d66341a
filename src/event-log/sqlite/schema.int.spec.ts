import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { event } from '../../../test/contracts/opened-log.js';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { ConflictError } from '../event-log.js';
import { makeSchema } from './schema.js';
import { SqliteEventLog } from './sqlite-event-log.js';

/** The table of the first data directories. */
const WITH_WHOLE_NAMES = `
CREATE TABLE events (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  stream   TEXT    NOT NULL,
  revision INTEGER NOT NULL,
  id       TEXT    NOT NULL,
  type     TEXT    NOT NULL,
  version  INTEGER NOT NULL,
  data     TEXT    NOT NULL,
  metadata TEXT    NOT NULL,
  UNIQUE (stream, revision)
) STRICT;
`;

const OF_STREAM = (name: string) =>
  `substr(stream, -12) = substr(${name}, -12) AND stream = ${name}`;

/** The statements with which the release before opens a log. */
const RELEASE_BEFORE = `
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
  WHEN EXISTS (SELECT 1 FROM events WHERE ${OF_STREAM('NEW.stream')} AND revision = NEW.revision)
    OR EXISTS (SELECT 1 FROM events WHERE position = NEW.position)
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER IF NOT EXISTS events_are_never_deleted BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE INDEX IF NOT EXISTS events_of_stream ON events (substr(stream, -12), revision);
`;

const INSERT =
  "INSERT INTO events (stream, revision, id, type, version, data, metadata) VALUES (?, ?, ?, 'T', 1, '{}', '{}')";

describe('The table of the embedded log', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let file: string;
  let db: Database.Database;

  beforeEach(() => {
    directory = makeTempDirectory();
    file = join(directory.path, 'events.db');
    db = new Database(file);
  });

  afterEach(() => {
    db.close();
    directory.remove();
  });

  function schema(): unknown[] {
    return db
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type <> 'table' ORDER BY name")
      .all();
  }

  /** Gives SQLite's plan for finding the last revision of a stream. */
  function plan(condition = 'stream = :stream'): unknown[] {
    return db
      .prepare(
        `EXPLAIN QUERY PLAN SELECT revision FROM events WHERE ${condition} ORDER BY revision DESC LIMIT 1`,
      )
      .all({ stream: 'stream' })
      .map((step) => (step as { detail: string }).detail);
  }

  /** Writes a log like the release before. `streams` has the number of events by stream name. */
  function written(streams: Readonly<Record<string, number>>): unknown[] {
    db.exec(RELEASE_BEFORE);
    const insert = db.prepare(INSERT);
    for (const [stream, events] of Object.entries(streams)) {
      for (let revision = 0; revision < events; revision++)
        insert.run(stream, revision, `${stream}-${revision}`);
    }
    return rows();
  }

  function rows(): unknown[] {
    return db.prepare('SELECT * FROM events ORDER BY position').all();
  }

  it('has an index that answers for a stream, in order', () => {
    makeSchema(db);
    makeSchema(db);
    expect(plan()).toEqual([expect.stringMatching(/^SEARCH .* events_of_stream/)]);
  });

  it('keeps the unique index that the first data directories have, which answers as well', async () => {
    db.exec(WITH_WHOLE_NAMES);
    const log = new SqliteEventLog(file);
    await log.append('stream', [event(), event()], 'no-stream');
    await log.append('stream', [event()], 1);
    await expect(log.append('stream', [event()], 1)).rejects.toBeInstanceOf(ConflictError);
    const begun = log.append('stream', [event()], 'no-stream');
    await expect(begun).rejects.toBeInstanceOf(ConflictError);
    expect(await log.readStream('stream', 1)).toHaveLength(2);
    await log.close();
    expect(plan()).toEqual([expect.stringMatching(/^SEARCH .* sqlite_autoindex_events_1/)]);
  });

  it('refuses a revision a second time, whoever asks', () => {
    makeSchema(db);
    const insert = db.prepare(INSERT);
    insert.run('stream', 0, 'a');
    insert.run('stream', 1, 'b');
    insert.run('another-stream', 0, 'c');
    expect(() => insert.run('stream', 1, 'd')).toThrow('events are append-only');
    const replace = db.prepare(INSERT.replace('INSERT', 'INSERT OR REPLACE'));
    expect(() => replace.run('stream', 1, 'd')).toThrow('events are append-only');
  });

  it('of the release before becomes as a new one, with every event as it was, and says so', () => {
    makeSchema(db);
    const fresh = schema();
    db.exec('DROP TABLE events');
    const before = written({ a: 3, 'x-a': 2 });
    const seen: string[] = [];
    makeSchema(db, {
      begun: (events) => void seen.push(`${events} events`),
      ended: (seconds) => void seen.push(seconds < 60 ? 'ended' : 'late'),
    });
    expect(seen).toEqual(['5 events', 'ended']);
    expect(rows()).toEqual(before);
    expect(schema()).toEqual(fresh);
    makeSchema(db, { begun: () => seen.push('again'), ended: () => undefined });
    expect(seen).not.toContain('again');
  });

  it('of the release before stays what it was when the migration is cut off, and is migrated next time', () => {
    const before = written({ a: 3 });
    const old = schema();
    const exec = db.exec.bind(db);
    db.exec = (sql) => {
      if (sql === 'COMMIT') throw new Error('cut off');
      return exec(sql);
    };
    expect(() => makeSchema(db)).toThrow('cut off');
    db.exec = exec;
    expect(schema()).toEqual(old);
    makeSchema(db);
    expect(schema()).not.toEqual(old);
    expect(rows()).toEqual(before);
  });

  it('is one that the release before opens, reads by its index and writes', () => {
    written({ a: 3, 'x-a': 2 });
    makeSchema(db);
    const migrated = schema();
    db.exec(RELEASE_BEFORE);
    expect(schema()).toEqual(migrated);
    expect(plan(OF_STREAM(':stream'))).toEqual([
      expect.stringMatching(/^SEARCH .* events_of_stream/),
    ]);
    const insert = db.prepare(INSERT);
    insert.run('a', 3, 'a-3');
    expect(() => insert.run('a', 3, 'again')).toThrow('events are append-only');
  });
});
