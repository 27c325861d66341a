import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Backends, freshBackends } from '../harness/backends.js';
import { keyledger } from '../harness/command-line.js';
import { onlyOn } from '../harness/only-on.js';
import { startService } from '../harness/service-process.js';

const embedded = onlyOn(
  { eventLog: 'sqlite', readStore: 'sqlite' },
  'both use the driver whose objects are counted',
);

embedded.describe(
  'the objects of the SQLite driver, whose collection can end a process of Node 24',
  () => {
    let backends: Backends;
    let environment: Record<string, string>;

    beforeEach(async () => {
      backends = await freshBackends();
      environment = {
        ...backends.settings,
        DRIVER_CENSUS: join(backends.dataDir, 'census.json'),
        NODE_OPTIONS: `--import ${pathToFileURL(resolve('test/harness/driver-census.mjs')).href}`,
      };
    });

    afterEach(async () => {
      await backends.dispose();
    });

    function census(): { made: number; collected: number } {
      const text = readFileSync(join(backends.dataDir, 'census.json'), 'utf8');
      return JSON.parse(text) as { made: number; collected: number };
    }

    it('all outlive a run of the command line, which has closed them', async () => {
      const args = ['accounts', 'create', '--name', 'Acme', '--owner', 'ada'];
      expect(await keyledger(environment, ...args)).toMatchObject({ code: 0 });
      const { made, collected } = census();
      expect(made).toBeGreaterThan(10);
      expect(collected).toBe(0);
    });

    it('all outlive a service that has written, read and told that it is ready', async () => {
      const service = await startService(environment);
      expect(await service.client.post('/v1/end-users', { user: 'ada' })).toMatchObject({
        status: 201,
      });
      for (const path of ['/v1/end-users', '/v1/end-users?user=ada', '/health/ready']) {
        expect(await service.client.get(path)).toMatchObject({ status: 200 });
      }
      expect(await service.stop()).toBe(0);
      const { made, collected } = census();
      expect(made).toBeGreaterThan(10);
      expect(collected).toBe(0);
    });
  },
);
