import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import Database from 'better-sqlite3';
import { SqliteEventLog } from '../../src/event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { writeAheadBytes } from '../../src/event-sourcing/event-log/sqlite/wal-checkpointer.js';
import { WRITE_AHEAD_PAGES } from '../../src/event-sourcing/sqlite/open-database.js';
import { event, freshStream } from '../contracts/opened-log.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import { onlyOn } from '../support/harness/only-on.js';
import { type ServiceProcess, startService } from '../support/harness/service-process.js';
import { writeAheadPages } from '../support/harness/write-ahead-pages.js';

const embedded = onlyOn('embedded', 'a log on a server has files of its own');

const PAGE_BYTES = 4_096;
/** The deadline for the checkpoint after the last write, on a busy machine. */
const AT_REST_WITHIN_MS = 20_000;
const WAL_BYTES = 'keyledger_event_log_wal_bytes';

embedded.describe('the embedded log of a service that runs', () => {
  let backends: Backends;
  let service: ServiceProcess;
  let file: string;

  const isEmpty = (): boolean => writeAheadBytes(file) === 0;

  beforeEach(async () => {
    backends = await freshBackends();
    file = join(backends.dataDir, 'events.db');
    service = await startService(backends.settings);
  });

  afterEach(async () => {
    await service.stop();
    await backends.dispose();
  });

  embedded.it('has its write-ahead log taken over by a thread of its own', async () => {
    // This connection leaves checkpoints to another one, like the connection of the service.
    const appending = new SqliteEventLog(file, 'by-thread');
    const observer = new Database(file);
    const long = event('x'.repeat((WRITE_AHEAD_PAGES + 100) * PAGE_BYTES), 'Unknown');
    await appending.append(freshStream(), [long], 'no-stream');
    await eventually('all of it is taken over', () => {
      const { written, takenOver } = writeAheadPages(observer)();
      return written === takenOver;
    });
    observer.close();
    await appending.close();
    await eventually('it is empty', isEmpty, AT_REST_WITHIN_MS);
  });

  embedded.it('is one file at rest, of which a plain copy is a whole backup', async () => {
    for (let number = 0; number < 300; number++) {
      const { status } = await service.client.post('/v1/end-users', { user: `user-${number}` });
      expect(status).toBe(201);
    }
    expect(isEmpty()).toBe(false);
    await eventually('the write-ahead log is empty', isEmpty, AT_REST_WITHIN_MS);
    expect((await scrape(service.client)).value(WAL_BYTES)).toBe(0);
    const { managementKey } = service;
    const restored = await freshBackends();
    copyFileSync(file, join(restored.dataDir, 'events.db'));
    const other = await startService({
      ...restored.settings,
      BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    });
    const { body } = await other.client.get('/v1/end-users?limit=1');
    expect(body).toMatchObject({ total_count: 300 });
    await other.stop();
    await restored.dispose();
  });

  embedded.it('becomes one file again when a reader that kept it is gone', async () => {
    const reader = new Database(file);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').get();
    for (let number = 0; number < 50; number++) {
      await service.client.post('/v1/end-users', { user: `user-${number}` });
    }
    expect((await scrape(service.client)).value(WAL_BYTES)).toBeGreaterThan(50 * PAGE_BYTES);
    reader.exec('COMMIT');
    reader.close();
    await eventually('the write-ahead log is empty', isEmpty, AT_REST_WITHIN_MS);
  });
});
