import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { makeTempDirectory } from '../../../test/support/harness/temp-directory.js';
import { claimEmbeddedLogs, type ClaimedLog } from './claim-embedded-logs.js';
import { SCHEMA } from './sqlite/schema.js';

const FIRST_EVENTS = 4;
const LOGS = { management: { firstEvents: FIRST_EVENTS }, usage: { log: 'usage', firstEvents: 0 } };
const SERVICE = { mayBegin: true, mayBeginAnew: true };
const COMMAND = { mayBegin: false, mayBeginAnew: false };
const INSERT = `INSERT INTO events (stream, revision, id, type, version, data, metadata)
  VALUES ('s', ?, 'a', 'T', 1, '{}', ?)`;

describe('The files of the embedded logs', () => {
  let directory: ReturnType<typeof makeTempDirectory>;

  beforeEach(() => {
    directory = makeTempDirectory();
    claimed();
  });

  afterEach(() => {
    directory.remove();
  });

  const path = (name: string): string => join(directory.path, name);
  const claimed = (by = SERVICE): ClaimedLog[] => claimEmbeddedLogs(directory.path, LOGS, by);
  const begunAnew = (): string[] =>
    claimed().flatMap(({ file, beginsAnew }) => (beginsAnew ? [file] : []));

  function inFile<Result>(name: string, work: (db: Database.Database) => Result): Result {
    const db = new Database(path(name));
    try {
      return work(db);
    } finally {
      db.close();
    }
  }

  function replace(name: string, sql: string): void {
    rmSync(path(name), { force: true });
    inFile(name, (db) => db.exec(sql));
  }

  function fill(name: string, events: number, metadata = '{}'): void {
    inFile(name, (db) => {
      for (let revision = 0; revision < events; revision++)
        db.prepare(INSERT).run(revision, metadata);
    });
  }

  /** Expects that the files say which logs they are, of one installation. @returns its id. */
  function installation(): unknown {
    const [management, usage] = ['events.db', 'usage.db'].map((name) =>
      inFile(name, (db) => db.prepare('SELECT * FROM identity').all()),
    );
    const [{ installation: id }] = management as [{ installation: string }];
    expect(management).toEqual([{ log: 'management', installation: id }]);
    expect(usage).toEqual([{ log: 'usage', installation: id }]);
    return id;
  }

  it('are made anew, whatever a first start left of them when it was cut off', () => {
    const left: ((name: string) => void)[] = [
      () => undefined,
      (name) => rmSync(path(name), { force: true }),
      (name) => writeFileSync(path(name), ''),
      (name) => replace(name, 'PRAGMA journal_mode = WAL'),
      (name) => replace(name, SCHEMA),
    ];
    for (const ofFirst of left) {
      for (const ofSecond of left) {
        ofFirst('events.db');
        ofSecond('usage.db');
        expect(begunAnew()).toEqual([]);
        installation();
      }
    }
    fill('events.db', FIRST_EVENTS);
    const before = installation();
    rmSync(path('usage.db'));
    expect(begunAnew()).toEqual([]);
    expect(installation()).toBe(before);
  });

  it.each([
    ['usage.db', 'events.db', FIRST_EVENTS + 1],
    ['events.db', 'usage.db', 1],
  ])(
    'are refused without %s when %s was in use, until an empty one is put there',
    (lost, left, events) => {
      fill(left, events);
      const before = installation();
      rmSync(path(lost));
      for (const by of [SERVICE, COMMAND, { ...COMMAND, mayBegin: true }]) {
        const refused = new RegExp(
          `^the event log ${path(lost)} was lost, but ${path(left)} .*empty file`,
        );
        expect(() => claimed(by)).toThrow(refused);
      }
      expect(readdirSync(directory.path)).toEqual([left]);
      writeFileSync(path(lost), '');
      expect(() => claimed(COMMAND)).toThrow('was lost');
      expect(begunAnew()).toEqual([path(lost)]);
      expect(installation()).toBe(before);
      expect(begunAnew()).toEqual([]);
    },
  );

  const FOREIGN: readonly (readonly [string, string, string, () => void])[] = [
    [
      'no database',
      'usage.db',
      'not a database',
      () => writeFileSync(path('usage.db'), 'x'.repeat(9_000)),
    ],
    [
      'of another program',
      'usage.db',
      'not an event log of this',
      () => replace('usage.db', 'CREATE TABLE a (b)'),
    ],
    [
      'of another name',
      'events.db',
      'it is the usage log',
      () => {
        renameSync(path('events.db'), path('away'));
        renameSync(path('usage.db'), path('events.db'));
        renameSync(path('away'), path('usage.db'));
      },
    ],
    [
      'of another installation',
      'usage.db',
      'of another installation',
      () => replace('usage.db', `${SCHEMA} INSERT INTO identity VALUES ('usage', 'another')`),
    ],
    [
      'gone but for its write-ahead log',
      'usage.db',
      'restore both together',
      () => {
        writeFileSync(path('usage.db'), '');
        writeFileSync(path('usage.db-wal'), 'x');
      },
    ],
  ];

  it.each(FOREIGN)(
    'are refused when one is %s, in a line that names it',
    (_, name, problem, harm) => {
      harm();
      const files = readdirSync(directory.path);
      expect(() => claimed()).toThrow(new RegExp(`^the event log .*/${name} .*${problem}[^\\n]*$`));
      expect(readdirSync(directory.path)).toEqual(files);
    },
  );

  it('tell the times of their last events, as far as they can be read', () => {
    fill('events.db', 2, '{"occurred_at":"2027-01-01T00:00:00.000Z"}');
    fill('usage.db', 2, '{"cut');
    expect(claimed().map(({ lastAt }) => lastAt)).toEqual(['2027-01-01T00:00:00.000Z', null]);
  });
});
