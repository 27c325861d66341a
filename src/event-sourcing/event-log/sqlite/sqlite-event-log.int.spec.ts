import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { eventLogContract } from '../../../../test/contracts/event-log.contract.js';
import { event, type OpenedLog } from '../../../../test/contracts/opened-log.js';
import { makeTempDirectory } from '../../../../test/support/harness/temp-directory.js';
import { logWith } from '../../../../test/support/specs/log-with.js';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import { Unavailable } from '../../../kernel/errors.js';
import { START } from '../../../kernel/position.js';
import type { RecordedEvent } from '../event-log.js';
import { type ConnectionRole, createSyncedRow } from '../connection-roles.js';
import { SqliteEventLog } from './sqlite-event-log.js';
import { eventsUpToHead } from '../events-up-to-head.js';
import { LogFollower } from '../log-follower.js';
import { openEventLog } from '../open-event-log.js';

/** SQLite's number for a mode in which each commit is on disk before it returns. */
const SYNCHRONOUS_FULL = 2;

/** Opens logs in a directory of their own. @param role gives how they work with others. */
const opening = (role?: () => ConnectionRole) => async (): Promise<OpenedLog> => {
  const directory = makeTempDirectory();
  const open = () => new SqliteEventLog(join(directory.path, 'events.db'), role?.());
  let log = open();
  return {
    get log() {
      return log;
    },
    async reopen() {
      await log.close();
      log = open();
    },
    async dispose() {
      await log.close();
      directory.remove();
    },
  };
};

eventLogContract('SQLite', opening());
eventLogContract(
  'SQLite that is synced beside the event loop',
  opening(() => ({ as: 'appender', synced: createSyncedRow() })),
);

describe('SQLite as an event log shared with another process', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let file: string;
  let log: SqliteEventLog;
  let other: Database.Database;

  beforeEach(() => {
    directory = makeTempDirectory();
    file = join(directory.path, 'events.db');
    log = new SqliteEventLog(file);
    other = new Database(file);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await log.close();
    other.close();
    directory.remove();
  });

  it('starts empty', async () => {
    expect(await log.head()).toBe(START);
  });

  it('refuses to change, delete or replace an event, whoever asks', async () => {
    await log.append('stream', [event()], 'no-stream');
    const replacement = `VALUES (1, 'stream', 0, 'x', 'T', 1, '{}', '{}')`;
    for (const statement of [
      "UPDATE events SET data = '{}'",
      'DELETE FROM events',
      `INSERT OR REPLACE INTO events ${replacement}`,
      `REPLACE INTO events ${replacement.replace('(1,', '(2,')}`,
    ]) {
      expect(() => other.exec(statement)).toThrow('events are append-only');
    }
    expect((await log.readStream('stream')).events).toHaveLength(1);
  });

  it('hands on what is no JSON as the text it is, for who decodes it to name, and goes on', async () => {
    const { position } = await log.append('stream', [event(), event()], 'no-stream');
    other.exec('DROP TRIGGER events_are_never_updated');
    other.exec(`UPDATE events SET data = '{"cut', metadata = '{"off' WHERE revision = 0`);
    const found = (await log.readStream('stream')).events;
    expect(found.map(({ data }) => typeof data)).toEqual(['string', 'object']);
    expect(found[0]).toMatchObject({ data: '{"cut', metadata: '{"off' });
    for await (const { events, reached } of eventsUpToHead(log, START)) {
      expect(events).toHaveLength(2);
      expect(reached).toBe(position);
    }
  });

  it.each([
    ['data', '{"cut'],
    ['data', '1, 2'],
    ['data', ''],
    ['metadata', '{"off'],
    ['metadata', '{}, {}'],
  ])('hands on %s that are %j, and each event around it as it is', async (column, text) => {
    const events = Array.from({ length: 100 }, (_, number) => event({ number }));
    await log.append('stream', events, 'no-stream');
    const read = async (): Promise<RecordedEvent[]> => {
      const found: RecordedEvent[] = [];
      for await (const batch of eventsUpToHead(log, START)) found.push(...batch.events);
      return found;
    };
    const before = await read();
    other.exec('DROP TRIGGER events_are_never_updated');
    other.prepare(`UPDATE events SET ${column} = ? WHERE revision = 60`).run(text);
    const changed = before.map((event, at) => (at === 60 ? { ...event, [column]: text } : event));
    expect(await read()).toEqual(changed);
  });

  it('keeps the events of an append together, and ends a batch with one of them', async () => {
    // A batch of any size that only counts events would end within one of these appends of three.
    for (let last = -1; last < 999; last += 3) {
      await log.append('stream', [event(), event(), event()], last < 0 ? 'no-stream' : last);
    }
    const ends: number[] = [];
    for await (const { events } of eventsUpToHead(log, START))
      ends.push(events.at(-1)?.revision ?? NaN);
    expect(ends.length).toBeGreaterThan(2);
    expect(ends.map((revision) => revision % 3)).toEqual(ends.map(() => 2));
    expect(ends.at(-1)).toBe(1_001);
  });

  it('reads to its end when the last append lacks an event', async () => {
    await log.append('stream', [event()], 'no-stream');
    const cut = JSON.stringify({ ...metadataAt(0), more_in_append: 1 });
    other
      .prepare(
        "INSERT INTO events (stream, revision, id, type, version, data, metadata) VALUES ('stream', 1, ?, 'T', 1, '{}', ?)",
      )
      .run(randomUUID(), cut);
    const read: RecordedEvent[] = [];
    for await (const { events } of eventsUpToHead(log, START)) read.push(...events);
    expect(read).toHaveLength(2);
  });

  it('sees what the other writes while it follows', async () => {
    const second = new SqliteEventLog(file);
    const abort = new AbortController();
    const written = event();
    await second.append('stream', [written], 'no-stream');
    for await (const batch of log.follow(START, abort.signal)) {
      expect(batch.events.map(({ id }) => id)).toEqual([written.id]);
      const next = event();
      await second.append('stream', [next], 0);
      for await (const later of log.follow(batch.reached, abort.signal)) {
        expect(later.events.map(({ id }) => id)).toEqual([next.id]);
        abort.abort();
      }
    }
    await second.close();
  });

  it('has an append on the disk before it answers, also when the power fails then', async () => {
    const exec = jest.spyOn(Database.prototype, 'exec');
    await log.append('stream', [event()], 'no-stream');
    const commits = exec.mock.calls.findIndex(([statement]) => statement === 'COMMIT');
    // The pragma of the connection that committed, because others have their own settings.
    const connection = exec.mock.contexts[commits] as Database.Database | undefined;
    expect(connection?.pragma('synchronous', { simple: true })).toBe(SYNCHRONOUS_FULL);
  });

  it('waits for the other to finish writing, then appends', async () => {
    other.exec('BEGIN IMMEDIATE');
    const appended = log.append('stream', [event()], 'no-stream');
    await log.head();
    other.exec('COMMIT');
    expect(await appended).toMatchObject({ revision: 0 });
  });

  it('is unavailable, and unchanged, when another holds it for too long', async () => {
    await log.append('stream', [event()], 'no-stream');
    other.exec('BEGIN IMMEDIATE');
    await expect(log.append('stream', [event()], 0)).rejects.toBeInstanceOf(Unavailable);
    other.exec('COMMIT');
    expect((await log.readStream('stream')).events).toHaveLength(1);
  });

  it('is unavailable once it is closed, and says which log it is', async () => {
    const place = { dataDir: directory.path, eventStoreDbConnectionString: undefined };
    for (const [name, part] of [
      [undefined, 'event log'],
      ['usage', 'usage log'],
    ] as const) {
      const closed = await openEventLog({ ...place, log: name }, {}, async () => START);
      const follower = new LogFollower(
        logWith(closed, { head: () => new Promise(() => undefined) }),
        { apply: () => undefined, forgetAll: () => undefined },
      );
      await closed.close();
      const unavailable = [
        closed.append('stream', [event()], 'no-stream'),
        closed.head(),
        closed.ping(),
        follower.catchUpTo(Infinity, 1),
      ];
      for (const fault of await Promise.allSettled(unavailable))
        expect(fault).toMatchObject({ reason: { name: 'Unavailable', part } });
    }
  });
});
