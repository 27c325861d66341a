import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { event } from '../../../../test/contracts/opened-log.js';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { Unavailable } from '../../../kernel/errors.js';
import { openDatabase } from '../../sqlite/open-database.js';
import { Appender } from './appender.js';
import { SCHEMA } from './schema.js';

const SLOW_COMMIT_MS = 200;

/** Makes the commits of a database as slow as on a slow disk. */
function slowed(db: Database.Database): Database.Database {
  const exec = db.exec.bind(db);
  const never = new Int32Array(new SharedArrayBuffer(4));
  db.exec = (sql) => {
    if (sql === 'COMMIT') Atomics.wait(never, 0, 0, SLOW_COMMIT_MS);
    return exec(sql);
  };
  return db;
}

describe('Commits of the embedded log', () => {
  let db: Database.Database;
  let appender: Appender;
  let commits: number;

  beforeEach(() => {
    db = slowed(openDatabase(':memory:', {}));
    db.exec(SCHEMA);
    commits = 0;
    appender = new Appender(db, { committed: () => (commits += 1), unsettled: () => undefined });
  });

  afterEach(() => {
    db.close();
  });

  let streams = 0;
  const append = (): Promise<unknown> =>
    appender.append(`stream-${streams++}`, [event()], 'no-stream');

  it('take what arrives in turns of the event loop that follow on each other, in less time than they take', async () => {
    await append();
    const answers: Promise<unknown>[] = [];
    for (let turn = 0; turn < 5; turn++) {
      answers.push(append(), append());
      await nextTurn();
    }
    expect(commits).toBe(1);
    await Promise.all(answers);
    expect(commits).toBe(2);
  });

  it('do not wait for more when a turn brought nothing', async () => {
    await append();
    const second = append();
    await nextTurn();
    await nextTurn();
    expect(commits).toBe(2);
    await second;
  });

  it('are not put off for ever by appends that never cease', async () => {
    await append();
    const began = performance.now();
    const others: Promise<unknown>[] = [];
    const first = append();
    while (commits === 1 && performance.now() - began < 5_000) {
      others.push(append());
      await nextTurn();
    }
    expect(commits).toBe(2);
    await first;
    await Promise.all(others);
  });
});

describe('Transactions of the embedded log', () => {
  let db: Database.Database;
  let appender: Appender;
  /** The events that each transaction stored. */
  let stored: number[];

  beforeEach(() => {
    db = openDatabase(':memory:', {});
    db.exec(SCHEMA);
    const count = db.prepare<[], number>('SELECT count(*) FROM events').pluck();
    let before = 0;
    stored = [];
    const committed = (): void => {
      const now = count.get() ?? 0;
      stored.push(now - before);
      before = now;
    };
    appender = new Appender(db, { committed, unsettled: () => undefined });
  });

  afterEach(() => {
    db.close();
  });

  function eventsOf(account: string, count: number, data: unknown = {}) {
    return Array.from({ length: count }, () => {
      const one = event(data);
      return { ...one, metadata: { ...one.metadata, account_id: account } };
    });
  }

  function append(account: string, stream: string, count: number, data: unknown = {}) {
    return appender.append(stream, eventsOf(account, count, data), 'no-stream');
  }

  it('hold a bounded number of events, and the event loop has a turn between them', async () => {
    const appends = Array.from({ length: 40 }, (_, index) => append('a', `s-${index}`, 100));
    let turns = 0;
    let done = false;
    const count = async (): Promise<void> => {
      for (; !done; turns += 1) await nextTurn();
    };
    const counting = count();
    await Promise.all(appends);
    done = true;
    await counting;
    expect(stored.reduce((sum, events) => sum + events, 0)).toBe(4_000);
    expect(Math.max(...stored)).toBe(300);
    expect(turns).toBeGreaterThanOrEqual(stored.length);
  });

  it('hold a bounded number of bytes, or one append that is larger', async () => {
    const text = 'x'.repeat(400_000);
    await Promise.all([
      ...[1, 2, 3, 4].map((index) => append('a', `s-${index}`, 1, { text })),
      append('a', 's-large', 5, { text }),
      append('a', 's-small', 1),
    ]);
    expect(stored).toEqual([3, 6, 1]);
  });

  it('take from accounts in turn, so that one that has much waiting makes nobody else wait', async () => {
    const queued = Array.from({ length: 100 }, (_, index) => append('a', `s-${index}`, 100));
    await append('b', 's-b', 1);
    expect(stored).toHaveLength(1);
    await Promise.all(queued);
  });

  it('keep the order in which one account appends to a stream', async () => {
    const first = append('a', 's', 200);
    const others = [1, 2, 3].map((index) => append('a', `s-${index}`, 200));
    const next = appender.append('s', eventsOf('a', 1), 199);
    expect(await first).toMatchObject({ revision: 199 });
    expect(await next).toMatchObject({ revision: 200 });
    await Promise.all(others);
  });
});

/**
 * Lets statements that begin with `begin` fail `times` times, like a failing disk. A failed statement rolls its
 * transaction back.
 */
function failing(db: Database.Database, begin: string, times: number): void {
  const exec = db.exec.bind(db);
  db.exec = (sql) => {
    if (!sql.startsWith(begin) || times-- <= 0) return exec(sql);
    if (db.inTransaction) exec('ROLLBACK');
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
  };
}

describe('A commit that the disk failed to take', () => {
  let db: Database.Database;
  let appender: Appender;
  let unsettled: unknown[];
  let settlements: number;

  beforeEach(() => {
    db = openDatabase(':memory:', {});
    db.exec(SCHEMA);
    unsettled = [];
    settlements = 0;
    const exec = db.exec.bind(db);
    db.exec = (sql) => {
      const done = exec(sql);
      if (sql.startsWith('PRAGMA user_version')) settlements += 1;
      return done;
    };
    appender = new Appender(db, {
      committed: () => undefined,
      unsettled: (fault) => unsettled.push(fault),
    });
  });

  afterEach(() => {
    db.close();
  });

  it('is refused once another commit stands in its place, and may be sent again', async () => {
    failing(db, 'COMMIT', 1);
    failing(db, 'PRAGMA user_version', 2);
    const events = [event()];
    const refused = appender.append('s', events, 'no-stream');
    await expect(refused).rejects.toBeInstanceOf(Unavailable);
    expect({ settlements, unsettled }).toEqual({ settlements: 1, unsettled: [] });
    expect(await appender.append('s', events, 'no-stream')).toMatchObject({ revision: 0 });
    expect(await appender.append('s', events, 'no-stream')).toMatchObject({ revision: 0 });
    expect(db.prepare('SELECT count(*) FROM events').pluck().get()).toBe(1);
  });

  it('is told before any answer when no commit can take its place', async () => {
    failing(db, 'COMMIT', 1);
    failing(db, 'PRAGMA user_version', Infinity);
    let answered = false;
    const append = appender.append('s', [event()], 'no-stream').finally(() => (answered = true));
    const told = eventually('the outcome is told as unknown', () => {
      expect(answered && unsettled.length === 0).toBe(false);
      return unsettled.length === 1;
    });
    await expect(append).rejects.toThrow('it is unknown whether the events are stored');
    await told;
  });

  it('needs none in its place where the disk was full', async () => {
    const exec = db.exec.bind(db);
    db.exec = (sql) => {
      if (sql !== 'COMMIT') return exec(sql);
      exec('ROLLBACK');
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    await expect(appender.append('s', [event()], 'no-stream')).rejects.toBeInstanceOf(Unavailable);
    expect(settlements).toBe(0);
  });
});
