import { afterEach, beforeEach, expect } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { failSyncs } from '../support/harness/file-faults.js';
import type { Answer } from '../support/harness/http-client.js';
import { onlyOn, onlyWhereDisksFail } from '../support/harness/only-on.js';
import { type ServiceProcess, startService } from '../support/harness/service-process.js';

const embedded = onlyOn('embedded', 'the embedded log is a file on a disk');
const it = onlyWhereDisksFail();

interface Listed {
  readonly total_count: number;
}

embedded.describe('a service whose disk fails to take a write', () => {
  let backends: Backends;
  let settings: Record<string, string>;
  let service: ServiceProcess;
  let restoreDisk: () => Promise<void>;

  const failing = async (which: 'first' | 'all'): Promise<void> => {
    restoreDisk = await failSyncs(service.child.pid ?? 0, which);
  };

  async function count(path: string): Promise<number> {
    const { body, status } = await service.client.get<Listed>(path);
    expect(status).toBe(200);
    return body.total_count;
  }

  const createKey = (name: string): Promise<Answer> => service.client.post('/v1/keys', { name });

  async function killAndStart(): Promise<void> {
    await service.stop('SIGKILL');
    await restoreDisk();
    service = await startService(settings);
  }

  beforeEach(async () => {
    backends = await freshBackends();
    settings = { ...backends.settings, BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-') };
    service = await startService(settings);
    restoreDisk = () => Promise.resolve();
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
    await restoreDisk();
    await backends.dispose();
  });

  it('refuses the write with 503, and it is not there after a crash', async () => {
    await failing('first');
    const { body, headers, status } = await createKey('refused');
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toMatchObject({ error: { metadata: { reason: 'unavailable' } } });
    await killAndStart();
    expect(await count('/v1/keys')).toBe(0);
  });

  it('brings back no part of a write of many pages', async () => {
    // Each event and each answer has some 8 KB.
    const restrictions = Array.from({ length: 32 }, (_, index) => `${'🔑'.repeat(60)}${index}`);
    const before = await count('/v1/workspaces');
    await failing('first');
    const large = { name: 'large', restrictions };
    expect(await service.client.post('/v1/workspaces', large)).toMatchObject({ status: 503 });
    await killAndStart();
    expect(await count('/v1/workspaces')).toBe(before);
    expect(await service.client.post('/v1/workspaces', large)).toMatchObject({ status: 201 });
    expect(await count('/v1/workspaces')).toBe(before + 1);
  });

  it('stores a refused write once when it is sent again', async () => {
    const register = () => service.client.post('/v1/end-users', { user: 'ada' });
    await failing('first');
    expect(await register()).toMatchObject({ status: 503 });
    expect(await register()).toMatchObject({ status: 201 });
    await killAndStart();
    expect(await count('/v1/end-users')).toBe(1);
    expect(await service.client.get('/health/ready')).toMatchObject({ status: 200 });
  });

  it('ends without an answer when the disk goes on to fail, and starts again by itself', async () => {
    expect(await createKey('before')).toMatchObject({ status: 201 });
    await failing('all');
    await expect(createKey('unknown')).rejects.toThrow();
    expect(await service.ended).toBe(1);
    expect(await service.logs(/^ends without an answer/)).toMatchObject({ level: 60 });
    await killAndStart();
    const kept = await count('/v1/keys');
    expect([1, 2]).toContain(kept);
    expect(await createKey('after')).toMatchObject({ status: 201 });
    expect(await count('/v1/keys')).toBe(kept + 1);
  });
});
