import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { freePort } from '../support/backends/server-process.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { eventually } from '../support/harness/eventually.js';
import { boundByPermissions } from '../support/harness/file-faults.js';

import { HttpClient } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import {
  type LaunchedService,
  launchService,
  runServiceToItsEnd,
  startService,
  type ServiceProcess,
} from '../support/harness/service-process.js';

const embeddedLog = onlyOn('embedded', 'the event log is a file that may be read-only');

const START_WITHIN_MS = 20_000;

embeddedLog.describe('a service that may not write', () => {
  let backends: Backends;
  let settings: Record<string, string>;
  let service: ServiceProcess;
  let unready: LaunchedService | undefined;

  /** Sets the mode of a database and of the files that SQLite keeps beside it. */
  function setMode(database: string, mode: number): void {
    const files = readdirSync(backends.dataDir).filter((name) => name.startsWith(database));
    for (const file of files) chmodSync(join(backends.dataDir, file), mode);
  }

  beforeEach(async () => {
    backends = await freshBackends();
    settings = {
      ...backends.settings,
      BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-'),
    };
    service = await startService(settings);
    await service.client.post('/v1/end-users', { user: 'ada' });
    await service.stop();
  });

  afterEach(async () => {
    await unready?.stop('SIGKILL');
    await service.stop('SIGKILL');
    chmodSync(backends.dataDir, 0o755);
    await backends.dispose();
  });

  it('to its data directory does not start, and says which directory it is', async () => {
    chmodSync(backends.dataDir, 0o555);
    const { code, output } = await runServiceToItsEnd(settings, boundByPermissions());
    expect(code).toBe(1);
    expect(output).toContain(backends.dataDir);
    expect(output).not.toContain('    at ');
  });

  it('to a new data directory does not start, and says which directory it is', async () => {
    chmodSync(backends.dataDir, 0o555);
    const DATA_DIR = join(backends.dataDir, 'new');
    const ended = await runServiceToItsEnd({ ...settings, DATA_DIR }, boundByPermissions());
    expect(ended.code).toBe(1);
    expect(ended.output).toContain(DATA_DIR);
  });

  it('to its event log is not ready, answers writes with 503, says so in its log and reads on; with the right back, it writes', async () => {
    setMode('events.db', 0o444);
    settings.PORT = String(await freePort());
    const reading = launchService(settings, boundByPermissions());
    unready = reading;
    await eventually(
      'it waits for its log',
      () => reading.logged().some(({ msg }) => msg === 'waiting'),
      START_WITHIN_MS,
    );
    const client = new HttpClient(
      `http://127.0.0.1:${settings.PORT}`,
      settings.BOOTSTRAP_MANAGEMENT_KEY,
    );
    expect(await client.get('/health/ready')).toMatchObject({
      status: 503,
      body: {
        error: {
          metadata: { missing: [{ part: 'event log', problem: 'unavailable' }] },
        },
      },
    });
    const refused = await client.post('/v1/end-users', { user: 'grace' });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await reading.logs(/^event log unavailable$/)).toMatchObject({
      err: { message: expect.stringContaining('readonly') },
    });
    const list = { status: 200, body: { data: [{ user: 'ada' }], total_count: 1 } };
    expect(await client.get('/v1/end-users')).toMatchObject(list);
    expect(await reading.stop()).toBe(0);
    setMode('events.db', 0o644);
    service = await startService(settings, boundByPermissions());
    expect(await service.client.get('/v1/end-users')).toMatchObject(list);
    expect(await service.client.post('/v1/end-users', { user: 'grace' })).toMatchObject({
      status: 201,
    });
  });
});
