import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { openDatabase } from '../../src/event-sourcing/sqlite/open-database.js';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { diskLibrary } from '../support/disk/disk-library.js';
import { RecordedDisk } from '../support/disk/recorded-disk.js';
import { allPages } from '../support/harness/all-pages.js';
import { eventually } from '../support/harness/eventually.js';
import { onlyOn, onlyWhereInstalled } from '../support/harness/only-on.js';
import type { ServiceProcess } from '../support/harness/service-process.js';
import { directoryOfEach, stageOfEach } from '../support/harness/stage.js';
import { Random } from '../support/specs/random-things.js';

/** How long a sync of the disk takes. An answer that does not wait for it comes earlier. */
const SYNC_MS = 10;
const WRITERS = 8;
const WRITES = 40;
const MANAGED = { BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-') };

interface User {
  readonly user: string;
}

const embedded = onlyOn('embedded', 'a power cut takes what was not synced from files');
const describe = embedded.it === it ? onlyWhereInstalled('cc') : embedded.describe;

describe('the embedded log after a power cut', () => {
  const directory = directoryOfEach();
  const { backends, start } = stageOfEach();
  let record: string;
  let service: ServiceProcess;
  let isOver: boolean;

  beforeEach(async () => {
    record = join(directory.path, 'record');
    isOver = false;
    service = await start({
      ...MANAGED,
      LD_PRELOAD: diskLibrary(directory.path),
      DISK_FILES: backends.dataDir,
      DISK_RECORD: record,
      DISK_SYNC_MS: String(SYNC_MS),
    });
  });

  const tell = (line: string): void => appendFileSync(record, `${line}\n`);

  async function write(writer: string): Promise<void> {
    for (let number = 0; number < WRITES; number++) {
      const user = `${writer}-${number}`;
      const { status } = await service.client.post('/v1/end-users', { user });
      tell(`answered ${user}`);
      expect(status).toBe(201);
    }
  }

  async function list(): Promise<void> {
    for (let offset = 0; !isOver;) {
      const path = `/v1/end-users?limit=100&offset=${offset}`;
      const { body, status } = await service.client.get<{ data: User[] }>(path);
      for (const { user } of body.data) tell(`listed ${user}`);
      expect(status).toBe(200);
      offset += body.data.length;
    }
  }

  /** Writes and lists at the same time. */
  async function press(name: string): Promise<void> {
    isOver = false;
    const listing = list();
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(`${name}-${writer}`));
    await Promise.all(writers).finally(() => (isOver = true));
    await listing;
  }

  /** Gives the end users in the log of a data directory. */
  function usersIn(dataDir: string): Set<string> {
    const db = openDatabase(join(dataDir, 'events.db'), {});
    try {
      const users = db
        .prepare<[], string>(
          "SELECT data ->> 'user' FROM events WHERE type = 'EndUserRegistered' ORDER BY position",
        )
        .pluck();
      return new Set(users.all());
    } finally {
      db.close();
    }
  }

  it('has everything that was answered or listed, wherever the cut is', async () => {
    await press('first');
    await eventually('a checkpoint has emptied the write-ahead log', () => {
      return statSync(join(backends.dataDir, 'events.db-wal')).size === 0;
    });
    await press('second');
    await service.stop('SIGKILL');

    const random = new Random(49);
    const disk = new RecordedDisk(backends.dataDir);
    const told = new Set<string>();
    let cuts = 0;
    const cut = (isKept: (file: string) => boolean, files?: RegExp): string => {
      const dataDir = join(directory.path, `cut-${(cuts += 1)}`);
      disk.cut(dataDir, isKept, files);
      const users = told.size > 0 ? usersIn(dataDir) : new Set<string>();
      expect([...told].filter((user) => !users.has(user))).toEqual([]);
      return dataDir;
    };
    disk.play(
      readFileSync(record),
      (line) => told.add(line.split(' ')[1] ?? ''),
      () => {
        cut(() => false, /events\.db/);
        cut(() => random.chance(0.5), /events\.db/);
      },
    );
    expect(told.size).toBe(2 * WRITERS * WRITES);
    expect(cuts).toBeGreaterThan(100);

    // The read models kept what the log lost: they must not be ahead of it.
    const dataDir = cut((file) => !file.includes('events.db'));
    const restarted = await start({ ...MANAGED, DATA_DIR: dataDir });
    const { items, total } = await allPages<User>(restarted.client, '/v1/end-users');
    expect(new Set(items.map(({ user }) => user))).toEqual(usersIn(dataDir));
    expect(total).toBe(items.length);
  }, 120_000);
});
