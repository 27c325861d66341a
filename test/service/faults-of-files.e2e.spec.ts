import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { namespaceOf } from '../../src/event-sourcing/projections/generations.js';
import { LEDGERS } from '../../src/host/ledgers/ledgers.js';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { freePort } from '../support/backends/server-process.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { eventually } from '../support/harness/eventually.js';
import { boundByPermissions, failSyncs } from '../support/harness/file-faults.js';
import { type Answer, HttpClient } from '../support/harness/http-client.js';
import { onlyOn, onlyWhereDisksFail } from '../support/harness/only-on.js';
import {
  type LaunchedService,
  launchService,
  runServiceToItsEnd,
  type ServiceProcess,
  startService,
} from '../support/harness/service-process.js';
import { stageOfEach } from '../support/harness/stage.js';

const embedded = onlyOn('embedded', 'the log and the read models are files on a disk');
const MANAGED = { BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-') };
const USERS = 300;

embedded.describe('a read model with damaged pages', () => {
  const { backends, start } = stageOfEach();
  let service: ServiceProcess;

  beforeEach(async () => {
    service = await start(MANAGED);
    for (let count = 0; count < USERS; count += 1) {
      await service.client.post('/v1/end-users', { user: `user-${count}` });
    }
    expect((await service.client.get('/v1/end-users')).status).toBe(200);
    await service.stop();
    damage();
    service = await start(MANAGED);
  });

  /** Overwrites the second half of the pages. The schema is in the first one. */
  function damage(): void {
    const file = join(
      backends.dataDir,
      'read-models',
      `${namespaceOf(LEDGERS.management.readSide, 1)}.db`,
    );
    const bytes = readFileSync(file);
    bytes.fill(0x5a, bytes.length / 2);
    writeFileSync(file, bytes);
  }

  it('is refused with 503 and the cure in the log, and whole again after it was rebuilt', async () => {
    const page = '/v1/end-users?limit=100&offset=150';
    expect(await service.client.get('/health/ready')).toMatchObject({ status: 200 });
    expect(await service.client.get(page)).toMatchObject({ status: 503 });
    expect(await service.logs(/^read store unavailable$/)).toMatchObject({
      err: { message: expect.stringMatching(/is damaged .* projections rebuild management, or/) },
    });
    const rebuilt = await keyledgerHere(backends.settings, 'projections', 'rebuild', 'management');
    expect(rebuilt).toMatchObject({ code: 0 });
    await eventually('it is whole', async () => {
      const { status } = await service.client.get(page);
      expect([200, 503]).toContain(status);
      const ready = await service.client.get('/health/ready');
      return status === 200 && isDeepStrictEqual(ready.body, { status: 'ready' });
    });
    expect(await service.client.get('/v1/end-users')).toMatchObject({
      status: 200,
      body: { total_count: USERS },
    });
    const verified = await keyledgerHere(backends.settings, 'projections', 'verify', 'management');
    expect(verified).toMatchObject({ code: 0 });
  });
});

const itWhereDisksFail = onlyWhereDisksFail();

interface Listed {
  readonly total_count: number;
}

embedded.describe('a service whose disk fails to keep a write', () => {
  const { start } = stageOfEach();
  let service: ServiceProcess;
  let restoreDisk: () => Promise<void>;

  async function count(path: string): Promise<number> {
    const { body, status } = await service.client.get<Listed>(path);
    expect(status).toBe(200);
    return body.total_count;
  }

  const createKey = (name: string): Promise<Answer> => service.client.post('/v1/keys', { name });

  beforeEach(async () => {
    service = await start(MANAGED);
    restoreDisk = () => Promise.resolve();
  });

  afterEach(() => restoreDisk());

  itWhereDisksFail('ends without an answer, says what to do, and starts again', async () => {
    expect(await createKey('before')).toMatchObject({ status: 201 });
    restoreDisk = await failSyncs(service.child.pid ?? 0);
    await expect(createKey('unknown')).rejects.toThrow();
    expect(await service.ended).toBe(74);
    expect(await service.logs(/outcome is unknown.*, then start the service again$/)).toMatchObject(
      { level: 60 },
    );
    await restoreDisk();
    service = await start(MANAGED);
    const kept = await count('/v1/keys');
    expect([1, 2]).toContain(kept);
    expect(await createKey('after')).toMatchObject({ status: 201 });
    expect(await count('/v1/keys')).toBe(kept + 1);
  });

  itWhereDisksFail('stores a write of unknown outcome once when it is sent again', async () => {
    const register = () => service.client.post('/v1/end-users', { user: 'ada' });
    restoreDisk = await failSyncs(service.child.pid ?? 0);
    await expect(register()).rejects.toThrow();
    await service.ended;
    await restoreDisk();
    service = await start(MANAGED);
    expect([201, 409]).toContain((await register()).status);
    expect(await count('/v1/end-users')).toBe(1);
    expect(await service.client.get('/health/ready')).toMatchObject({ status: 200 });
  });
});

const START_WITHIN_MS = 20_000;

embedded.describe('a service that may not write', () => {
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
      () =>
        reading
          .logged()
          .some(({ msg }) => String(msg).startsWith(`waiting for ${backends.dataDir} (`)),
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
