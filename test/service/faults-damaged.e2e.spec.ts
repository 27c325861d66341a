import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { namespaceOf } from '../../src/event-sourcing/projections/generations.js';
import { MANAGEMENT } from '../../src/host/assembly/events-and-projections.js';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { eventually } from '../support/harness/eventually.js';
import { onlyOn } from '../support/harness/only-on.js';
import { type ServiceProcess, startService } from '../support/harness/service-process.js';

const embedded = onlyOn('embedded', 'read models are files that can be damaged');
const USERS = 300;
/** The page size of SQLite. */

embedded.describe('a read model with damaged pages', () => {
  let backends: Backends;
  let settings: Record<string, string>;
  let service: ServiceProcess;

  beforeEach(async () => {
    backends = await freshBackends();
    settings = { ...backends.settings, BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-') };
    service = await startService(settings);
    for (let count = 0; count < USERS; count += 1) {
      await service.client.post('/v1/end-users', { user: `user-${count}` });
    }
    expect((await service.client.get('/v1/end-users')).status).toBe(200);
    await service.stop();
    damage();
    service = await startService(settings);
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
    await backends.dispose();
  });

  /** Overwrites the second half of the pages. The schema is in the first one. */
  function damage(): void {
    const file = join(backends.dataDir, 'read-models', `${namespaceOf(MANAGEMENT, 1)}.db`);
    const bytes = readFileSync(file);
    bytes.fill(0x5a, bytes.length / 2);
    writeFileSync(file, bytes);
  }

  it('is folded anew by itself, and is refused with 503 until then', async () => {
    expect((await service.client.get('/health/ready')).status).toBe(200);
    const statuses = new Set<number>();
    await eventually('it is whole', async () => {
      const list = await service.client.get('/v1/end-users?limit=100&offset=150');
      statuses.add(list.status);
      const ready = await service.client.get('/health/ready');
      expect(ready.status).toBe(200);
      return list.status === 200 && isDeepStrictEqual(ready.body, { status: 'ready' });
    });
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await service.logs(/are damaged, and are folded again$/)).toBeDefined();
    expect(await service.client.get('/v1/end-users')).toMatchObject({
      status: 200,
      body: { total_count: USERS },
    });
    const verified = await keyledgerHere(settings, 'projections', 'verify', 'management');
    expect(verified).toMatchObject({ code: 0 });
  });
});
