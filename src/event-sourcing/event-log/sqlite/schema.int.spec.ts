import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { makeTempDirectory } from '../../../../test/support/harness/temp-directory.js';
import { SCHEMA } from './schema.js';

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

  it('has an index that answers for a stream, in order', () => {
    db.exec(SCHEMA);
    db.exec(SCHEMA);
    const query = 'SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1';
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${query}`).all('stream') as { detail: string }[];
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^SEARCH .* events_of_stream/),
    ]);
  });

  it('refuses a revision a second time, whoever asks', () => {
    db.exec(SCHEMA);
    const insert = db.prepare(INSERT);
    insert.run('stream', 0, 'a');
    insert.run('stream', 1, 'b');
    insert.run('another-stream', 0, 'c');
    expect(() => insert.run('stream', 1, 'd')).toThrow('events are append-only');
    const replace = db.prepare(INSERT.replace('INSERT', 'INSERT OR REPLACE'));
    expect(() => replace.run('stream', 1, 'd')).toThrow('events are append-only');
  });
});
