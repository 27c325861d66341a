import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { event } from '../../../../test/contracts/opened-log.js';
import { Unavailable } from '../../../kernel/errors.js';
import { openDatabase } from '../../sqlite/open-database.js';
import { Appender } from './appender.js';
import { SCHEMA } from './schema.js';

const SLOW_COMMIT_MS = 200;

describe('Commits of the embedded log', () => {
  let db: Database.Database;
  let appender: Appender;
  let commits: number;
  /** The time in milliseconds. Only commits and tests move it, and no turn of a slow machine. */
  let now: number;

  beforeEach(() => {
    now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    db = openDatabase(':memory:', {});
    db.exec(SCHEMA);
    const exec = db.exec.bind(db);
    db.exec = (sql) => {
      if (sql === 'COMMIT') now += SLOW_COMMIT_MS;
      return exec(sql);
    };
    commits = 0;
    const secure = async (): Promise<void> => {
      commits += 1;
    };
    appender = new Appender(db, secure, () => new Error('unsettled'));
  });

  afterEach(() => {
    jest.restoreAllMocks();
    db.close();
  });

  let streams = 0;
  const append = (): Promise<unknown> =>
    appender.append(`stream-${streams++}`, [event()], 'no-stream');

  /** Waits for a commit, and until the appender is idle again. */
  const appended = async (): Promise<void> => {
    await append();
    await appender.drain();
  };

  it('take what arrives in turns of the event loop that follow on each other, in less time than they take', async () => {
    await appended();
    const answers: Promise<unknown>[] = [];
    for (let turn = 0; turn < 5; turn++) {
      answers.push(append(), append());
      now += (SLOW_COMMIT_MS - 1) / 5;
      await nextTurn();
    }
    expect(commits).toBe(1);
    await Promise.all(answers);
    expect(commits).toBe(2);
  });

  it('do not wait for more when a turn brought nothing', async () => {
    await appended();
    const second = append();
    await nextTurn();
    await nextTurn();
    expect(commits).toBe(2);
    await second;
  });

  it('are not put off for ever by appends that never cease', async () => {
    await appended();
    const others: Promise<unknown>[] = [];
    const first = append();
    for (let turn = 0; turn < 5; turn++) {
      others.push(append());
      now += SLOW_COMMIT_MS / 5;
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
    const secure = async (): Promise<void> => {
      const now = count.get() ?? 0;
      stored.push(now - before);
      before = now;
    };
    appender = new Appender(db, secure, () => new Error('unsettled'));
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

describe('A commit that the disk failed to take', () => {
  let db: Database.Database;
  let appender: Appender;
  let unsettled: unknown[];

  beforeEach(() => {
    db = openDatabase(':memory:', {});
    db.exec(SCHEMA);
    unsettled = [];
    appender = new Appender(
      db,
      () => Promise.resolve(),
      (fault) => {
        unsettled.push(fault);
        return new Error('unsettled');
      },
    );
  });

  afterEach(() => {
    db.close();
  });

  /** Lets the next commit fail, which rolls its transaction back. */
  function failing(code: string): void {
    const exec = db.exec.bind(db);
    db.exec = (sql) => {
      if (sql !== 'COMMIT') return exec(sql);
      db.exec = exec;
      exec('ROLLBACK');
      throw Object.assign(new Error('disk I/O error'), { code });
    };
  }

  it('is told as unsettled before any answer when it may be there after a crash', async () => {
    failing('SQLITE_IOERR_FSYNC');
    const append = appender.append('s', [event()], 'no-stream');
    const answered = append.catch(() => {
      expect(unsettled).toHaveLength(1);
    });
    await expect(append).rejects.toThrow('unsettled');
    await answered;
  });

  it.each(['SQLITE_FULL', 'SQLITE_IOERR_WRITE'])(
    'is refused with %s, which rules that out, and may be sent again',
    async (code) => {
      failing(code);
      const events = [event()];
      const refused = appender.append('s', events, 'no-stream');
      await expect(refused).rejects.toBeInstanceOf(Unavailable);
      expect(unsettled).toEqual([]);
      expect(await appender.append('s', events, 'no-stream')).toMatchObject({ revision: 0 });
      expect(await appender.append('s', events, 'no-stream')).toMatchObject({ revision: 0 });
      expect(db.prepare('SELECT count(*) FROM events').pluck().get()).toBe(1);
    },
  );

  it('answers with the fault when the disk fails to keep it', async () => {
    const lost = new Error('lost');
    const unkept = new Appender(
      db,
      () => Promise.reject(lost),
      () => lost,
    );
    await expect(unkept.append('s', [event()], 'no-stream')).rejects.toBe(lost);
  });
});
