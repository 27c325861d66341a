import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { boundByPermissions } from '../harness/file-faults.js';
import {
  runServiceToItsEnd,
  startService,
  type ServiceProcess,
} from '../harness/service-process.js';
import { makeTempDirectory } from '../harness/temp-directory.js';

describe('a service that may not write', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let settings: Record<string, string>;
  let service: ServiceProcess;

  /** Sets the mode of a database with the files beside it, which take theirs from it. */
  function setMode(database: string, mode: number): void {
    const files = readdirSync(directory.path).filter((name) => name.startsWith(database));
    for (const file of files) chmodSync(join(directory.path, file), mode);
  }

  beforeEach(async () => {
    directory = makeTempDirectory();
    settings = {
      DATA_DIR: directory.path,
      BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-'),
    };
    service = await startService(settings);
    await service.client.post('/v1/end-users', { user: 'ada' });
    await service.stop();
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
    chmodSync(directory.path, 0o755);
    directory.remove();
  });

  it('to its data directory does not start, and says which directory it is', async () => {
    chmodSync(directory.path, 0o555);
    const { code, output } = await runServiceToItsEnd(settings, boundByPermissions());
    expect(code).toBe(1);
    expect(output).toContain(directory.path);
    expect(output).not.toContain('    at ');
  });

  it('to a new data directory does not start, and says which directory it is', async () => {
    chmodSync(directory.path, 0o555);
    const DATA_DIR = join(directory.path, 'new');
    const ended = await runServiceToItsEnd({ ...settings, DATA_DIR }, boundByPermissions());
    expect(ended.code).toBe(1);
    expect(ended.output).toContain(DATA_DIR);
  });

  it('to its event log answers writes with 503, says so in its log and reads on; with the right back, it writes', async () => {
    setMode('events.db', 0o444);
    service = await startService(settings, boundByPermissions());
    const refused = await service.client.post('/v1/end-users', { user: 'grace' });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await service.logs(/^event log unavailable: .*readonly/);
    const list = { status: 200, body: { data: [{ user: 'ada' }], total_count: 1 } };
    expect(await service.client.get('/v1/end-users')).toMatchObject(list);
    expect(await service.stop()).toBe(0);
    setMode('events.db', 0o644);
    service = await startService(settings, boundByPermissions());
    expect(await service.client.get('/v1/end-users')).toMatchObject(list);
    expect(await service.client.post('/v1/end-users', { user: 'grace' })).toMatchObject({
      status: 201,
    });
  });
});
