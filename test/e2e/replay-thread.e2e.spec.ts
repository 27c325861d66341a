import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { PROJECTIONS } from '../../src/events-and-projections.js';
import { SqliteEventLog } from '../../src/event-log/sqlite/sqlite-event-log.js';
import type { ThreadReport } from '../../src/projections/thread/thread-messages.js';
import { event, freshStream } from '../contracts/opened-log.js';
import { auditEvents } from '../harness/audit-events.js';
import { eventually } from '../harness/eventually.js';
import { onlyOn } from '../harness/only-on.js';
import { startService } from '../harness/service-process.js';
import { makeTempDirectory } from '../harness/temp-directory.js';

const embedded = onlyOn(
  { eventLog: 'sqlite', readStore: 'sqlite' },
  'a thread folds where nothing is on a server',
);

const PATIENCE_MS = 20_000;
const THREAD = new URL('../../dist/projector-thread.js', import.meta.url);
/** Of a type that no projection knows: what a long log costs to read, and nothing else. */
const OTHER_EVENTS = 50_000;
const AT_ONCE = 5_000;

embedded.describe('the thread that folds, with a long log to replay', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let thread: Worker | undefined;

  beforeEach(() => {
    directory = makeTempDirectory();
    thread = undefined;
  });

  afterEach(async () => {
    await thread?.terminate();
    directory.remove();
  });

  async function lengthen(): Promise<void> {
    const log = new SqliteEventLog(join(directory.path, 'events.db'));
    for (let written = 0; written < OTHER_EVENTS; written += AT_ONCE) {
      const others = Array.from({ length: AT_ONCE }, () => event({}, 'Unknown'));
      await log.append(freshStream(), others, 'no-stream');
    }
    await log.close();
  }

  embedded.it('has another one replay it for the audit trail meanwhile', async () => {
    const settings = { DATA_DIR: directory.path };
    const first = await startService(settings);
    const { managementKey, client } = first;
    expect(await client.post('/v1/end-users', { user: 'ada' })).toMatchObject({ status: 201 });
    const trail = await auditEvents(client);
    await first.stop();
    await lengthen();
    rmSync(join(directory.path, 'read-models'), { recursive: true });

    const reports: ThreadReport[] = [];
    thread = new Worker(THREAD, { workerData: { dataDir: directory.path } });
    thread.on('message', (report: ThreadReport) => reports.push(report));
    const stood = (name: string, wanted: string) =>
      reports.findIndex(
        (report) =>
          report.kind === 'standing' && report.projection === name && report.state === wanted,
      );
    await eventually(
      'all have caught up',
      () => PROJECTIONS.every(({ name }) => stood(name, 'live') >= 0),
      PATIENCE_MS,
    );
    // Left to itself the thread begins with one when it is done with the one before.
    expect(stood('audit-trail', 'catching-up')).toBeLessThan(stood('account-directory', 'live'));
    expect(stood('key-directory', 'catching-up')).toBeGreaterThan(
      stood('account-directory', 'live'),
    );
    for (const { name } of PROJECTIONS) {
      expect(stood(name, 'stuck')).toBe(-1);
      // Beside the one that was empty.
      expect(reports[stood(name, 'live')]).toMatchObject({ generation: 2 });
    }
    const files = readdirSync(join(directory.path, 'read-models'));
    expect(files.filter((file) => file.endsWith('.1.db'))).toEqual([]);
    thread.postMessage({ kind: 'stop' });
    expect(await once(thread, 'exit')).toEqual([0]);

    const second = await startService({ ...settings, BOOTSTRAP_MANAGEMENT_KEY: managementKey });
    expect(await auditEvents(second.client)).toEqual(trail);
    await second.stop();
  });
});
