import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { event } from '../../../test/contracts/opened-log.js';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { Unavailable } from '../../kernel/errors.js';
import { START } from '../../kernel/position.js';
import { ConflictError } from '../event-log.js';
import type { Committed } from './commit.js';
import { CommitThread } from './commit-thread.js';
import { SqliteEventLog } from './sqlite-event-log.js';

describe('appending by way of a thread that may end', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let log: SqliteEventLog;

  beforeEach(() => {
    directory = makeTempDirectory();
    log = new SqliteEventLog(join(directory.path, 'events.db'));
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await log.close();
    directory.remove();
  });

  const ended = new Error('the thread has ended');

  /** Lets the next thread commit and end before it answers. */
  function loseAnAnswer(): void {
    const spy = jest.spyOn(CommitThread.prototype, 'commit');
    spy.mockImplementationOnce(async function (this: CommitThread, appends) {
      spy.mockRestore();
      await this.commit(appends);
      await this.close();
      throw ended;
    });
  }

  it('writes once what was written, but not answered', async () => {
    loseAnAnswer();
    const written = event();
    const onRetry = jest.fn();
    expect(await log.append('stream', [written], 'no-stream', onRetry)).toMatchObject({
      revision: 0,
    });
    expect(onRetry).toHaveBeenCalledTimes(1);
    expect((await log.readStream('stream')).map(({ id }) => id)).toEqual([written.id]);
  });

  it('writes what was not written', async () => {
    jest.spyOn(CommitThread.prototype, 'commit').mockRejectedValueOnce(ended);
    expect(await log.append('stream', [event()], 'no-stream')).toMatchObject({ revision: 0 });
    expect(await log.readStream('stream')).toHaveLength(1);
  });

  it('still tells a conflict', async () => {
    await log.append('stream', [event()], 'no-stream');
    loseAnAnswer();
    const second = log.append('stream', [event()], 'no-stream');
    await expect(second).rejects.toBeInstanceOf(ConflictError);
    expect(await log.readStream('stream')).toHaveLength(1);
  });

  it('is unavailable when no thread lasts, and goes on with one that does', async () => {
    const spy = jest.spyOn(CommitThread.prototype, 'commit').mockRejectedValue(ended);
    await expect(log.append('stream', [event()], 'no-stream')).rejects.toBeInstanceOf(Unavailable);
    spy.mockRestore();
    expect(await log.append('stream', [event()], 'no-stream')).toMatchObject({ revision: 0 });
  });

  it('refuses in time what a thread keeps to itself and what waits behind it, and then goes on', async () => {
    let answer: (committed: Committed) => void = () => undefined;
    jest
      .spyOn(CommitThread.prototype, 'commit')
      .mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
    const kept = log.append('kept', [event()], 'no-stream');
    await nextTurn();
    const waiting = log.append('waiting', [event()], 'no-stream');
    await expect(kept).rejects.toThrow('event log unavailable: the disk takes too long');
    await expect(waiting).rejects.toBeInstanceOf(Unavailable);
    answer({ kind: 'done', outcomes: [{ revision: 0, position: START }] });
    expect(await log.append('stream', [event()], 'no-stream')).toMatchObject({ revision: 0 });
    expect(await log.readStream('waiting')).toEqual([]);
  });

  it('is closed in time when a thread answers no more', async () => {
    const other = new SqliteEventLog(join(directory.path, 'other.db'));
    jest.spyOn(CommitThread.prototype, 'commit').mockReturnValueOnce(new Promise(() => undefined));
    const appended = other.append('stream', [event()], 'no-stream');
    const closed = other.close();
    await expect(appended).rejects.toBeInstanceOf(Unavailable);
    await expect(closed).rejects.toBeInstanceOf(Unavailable);
    await expect(other.head()).rejects.toBeInstanceOf(Unavailable);
  });

  it('refuses what cannot be written as JSON, and writes what came with it', async () => {
    const unwritable = log.append('odd', [event({ amount: 1n })], 'no-stream');
    const written = log.append('stream', [event()], 'no-stream');
    await expect(unwritable).rejects.toThrow(TypeError);
    expect(await written).toMatchObject({ revision: 0 });
    expect(await log.readStream('odd')).toEqual([]);
  });
});

describe('a thread that cannot open the database', () => {
  it('says so to whoever commits, now and later', async () => {
    const directory = makeTempDirectory();
    const thread = new CommitThread(join(directory.path, 'missing.db'));
    await expect(thread.commit([])).rejects.toThrow('cannot be opened for writing');
    await expect(thread.commit([])).rejects.toThrow('cannot be opened for writing');
    await thread.close();
    directory.remove();
  });
});
