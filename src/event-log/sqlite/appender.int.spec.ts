import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { event } from '../../../test/contracts/opened-log.js';
import { openDatabase } from '../../sqlite/open-database.js';
import { Appender } from './appender.js';
import { makeSchema } from './schema.js';

const SLOW_COMMIT_MS = 200;

/** Each of its commits takes as long as on a slow disk. */
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
    makeSchema(db);
    commits = 0;
    appender = new Appender(db, () => (commits += 1));
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
