import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { event } from '../../../test/contracts/opened-log.js';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { ConflictError } from '../event-log.js';
import { makeSchema, ofStream } from './schema.js';
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

  function indexes(): unknown[] {
    return db.prepare("SELECT name FROM pragma_index_list('events')").pluck().all();
  }

  /** How SQLite finds the last revision of a stream. */
  function plan(): unknown[] {
    return db
      .prepare(
        `EXPLAIN QUERY PLAN SELECT revision FROM events WHERE ${ofStream(':stream')} ORDER BY revision DESC LIMIT 1`,
      )
      .all({ stream: 'stream' })
      .map((step) => (step as { detail: string }).detail);
  }

  it('has an index that answers for a stream, in order', () => {
    makeSchema(db);
    makeSchema(db);
    expect(indexes()).toEqual(['events_of_stream']);
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
    expect(indexes()).toEqual(['sqlite_autoindex_events_1']);
    expect(plan()).toEqual([expect.stringMatching(/^SEARCH .* sqlite_autoindex_events_1/)]);
  });

  it('refuses a revision a second time though its index is not unique, whoever asks', () => {
    makeSchema(db);
    const insert = db.prepare(
      "INSERT INTO events (stream, revision, id, type, version, data, metadata) VALUES (?, ?, 'x', 'T', 1, '{}', '{}')",
    );
    insert.run('stream', 0);
    insert.run('stream', 1);
    insert.run('another-stream', 0);
    expect(() => insert.run('stream', 1)).toThrow('events are append-only');
  });
});
