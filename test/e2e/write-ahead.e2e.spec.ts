import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import Database from 'better-sqlite3';
import { SqliteEventLog } from '../../src/event-log/sqlite/sqlite-event-log.js';
import { WRITE_AHEAD_PAGES } from '../../src/sqlite/open-database.js';
import { event, freshStream } from '../contracts/opened-log.js';
import { eventually } from '../harness/eventually.js';
import { onlyOn } from '../harness/only-on.js';
import { type ServiceProcess, startService } from '../harness/service-process.js';
import { makeTempDirectory } from '../harness/temp-directory.js';
import { writeAheadPages } from '../harness/write-ahead-pages.js';

const embedded = onlyOn(
  { eventLog: 'sqlite', readStore: 'sqlite' },
  'a thread folds where nothing is on a server, and takes over what others write',
);

const PAGE_BYTES = 4_096;

embedded.describe('the embedded log of a service that runs', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let service: ServiceProcess;
  /** Leaves the write-ahead log to whoever follows, as the service's own connection does. */
  let appending: SqliteEventLog;
  let observer: Database.Database;

  beforeEach(async () => {
    directory = makeTempDirectory();
    service = await startService({ DATA_DIR: directory.path });
    const file = join(directory.path, 'events.db');
    appending = new SqliteEventLog(file, 'appends');
    observer = new Database(file);
  });

  afterEach(async () => {
    observer.close();
    await appending.close();
    await service.stop();
    directory.remove();
  });

  embedded.it('has its write-ahead log taken over by the thread that folds', async () => {
    const long = event('x'.repeat((WRITE_AHEAD_PAGES + 100) * PAGE_BYTES), 'Unknown');
    await appending.append(freshStream(), [long], 'no-stream');
    const pages = writeAheadPages(observer);
    await eventually('all of it is taken over', () => {
      const { written, takenOver } = pages();
      return written > WRITE_AHEAD_PAGES && written === takenOver;
    });
    const { status } = await service.client.post('/v1/end-users', { user: 'ada' });
    expect(status).toBe(201);
    // It began anew.
    expect(pages().written).toBeLessThan(WRITE_AHEAD_PAGES);
  });
});
