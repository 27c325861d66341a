import { rmSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { event } from '../../../../test/contracts/opened-log.js';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { makeTempDirectory } from '../../../../test/support/harness/temp-directory.js';
import { START } from '../../../kernel/position.js';
import type { AppendResult } from '../event-log.js';
import { openDatabase } from '../../sqlite/open-database.js';
import { createSyncedRow } from '../connection-roles.js';
import { SqliteEventLog } from './sqlite-event-log.js';
import { WriteAheadFile } from './write-ahead-file.js';

/** More turns of the event loop than any answer needs that waits for nothing. */
const SOME_TURNS = 200;

describe('Commits that are synced beside the event loop', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let file: string;
  let unsettled: unknown[];
  let log: SqliteEventLog;
  let folding: SqliteEventLog;

  beforeEach(() => {
    directory = makeTempDirectory();
    file = join(directory.path, 'events.db');
    unsettled = [];
    const synced = createSyncedRow();
    log = new SqliteEventLog(file, { as: 'appender', synced }, (fault) => unsettled.push(fault));
    folding = new SqliteEventLog(file, { as: 'checkpointer', synced });
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await folding.close();
    await log.close();
    directory.remove();
  });

  /** Holds the syncs of the disk until the function that it returns is called. */
  function holdSyncs(): () => void {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    jest.spyOn(WriteAheadFile.prototype, 'sync').mockReturnValue(held);
    return release;
  }

  /** Follows a log from its start, and gives the ids that it has delivered. */
  function delivered(from: SqliteEventLog, signal: AbortSignal): string[] {
    const ids: string[] = [];
    void (async () => {
      for await (const { events } of from.follow(START, signal))
        ids.push(...events.map(({ id }) => id));
    })();
    return ids;
  }

  it('are neither answered nor seen by anybody before they are on the disk', async () => {
    const observer = openDatabase(file, {});
    const committed = observer.prepare<[], number>('SELECT count(*) FROM events').pluck();
    const abort = new AbortController();
    const [seen, folded] = [log, folding].map((from) => delivered(from, abort.signal));
    const release = holdSyncs();
    const appended = event();
    let answered: AppendResult | undefined;
    void log.append('stream', [appended], 'no-stream').then((result) => (answered = result));
    await eventually('it is committed', () => committed.get() === 1);
    let read: unknown;
    void log.readStream('stream').then((page) => (read = page));
    for (let turn = 0; turn < SOME_TURNS; turn++) await nextTurn();
    expect([answered, read, seen, folded]).toEqual([undefined, undefined, [], []]);
    expect([await log.head(), await folding.head()]).toEqual([START, START]);
    expect([await log.identity(), await folding.identity()]).toEqual([null, null]);
    release();
    await eventually('it is answered and read', () => answered !== undefined && read !== undefined);
    expect(read).toMatchObject({ events: [{ id: appended.id }], more: false });
    await eventually('it is delivered', () => seen?.length === 1 && folded?.length === 1);
    expect([await log.head(), await folding.head()]).toEqual(Array(2).fill(answered?.position));
    abort.abort();
    observer.close();
  });

  it('of another connection are seen when they are on the disk, and no later', async () => {
    const other = new SqliteEventLog(file);
    const release = holdSyncs();
    const { position } = await other.append('stream', [event()], 'no-stream');
    const head = log.head();
    const first = await Promise.race([head, nextTurn('not yet')]);
    expect(first).toBe('not yet');
    release();
    expect(await head).toBe(position);
    await other.close();
  });

  it('end the service before any answer when the disk does not keep them', async () => {
    const fault = new Error('EIO: i/o error, fdatasync');
    jest.spyOn(WriteAheadFile.prototype, 'sync').mockRejectedValue(fault);
    const append = log.append('stream', [event()], 'no-stream');
    const told = append.catch(() => unsettled.length);
    await expect(append).rejects.toThrow('unknown whether events are stored');
    expect(await told).toBe(1);
    expect(unsettled[0]).toBe(fault);
    expect(await folding.head()).toBe(START);
  });

  it('end the service when somebody has removed the write-ahead log that they are in', async () => {
    await log.append('stream', [event()], 'no-stream');
    rmSync(`${file}-wal`);
    await expect(log.append('stream', [event()], 0)).rejects.toThrow('unknown whether');
    expect(unsettled).toEqual([new Error('the write-ahead log was removed in use')]);
  });
});
