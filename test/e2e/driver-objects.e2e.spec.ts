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

    /** What was counted in each thread, those that ended first before others. */
    function census(): { made: number; collected: number }[] {
      const lines = readFileSync(join(backends.dataDir, 'census.json'), 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as { made: number; collected: number });
    }

    /** The thread that commits, and the one that does everything else. */
    function expectAllOutlivedBoth(): void {
      const counts = census();
      expect(counts.map(({ collected }) => collected)).toEqual([0, 0]);
      expect(counts[0]?.made).toBeGreaterThan(3);
      expect(counts[1]?.made).toBeGreaterThan(10);
    }

    it('all outlive a run of the command line, which has closed them', async () => {
      const args = ['accounts', 'create', '--name', 'Acme', '--owner', 'ada'];
      expect(await keyledger(environment, ...args)).toMatchObject({ code: 0 });
      expectAllOutlivedBoth();
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
      expectAllOutlivedBoth();
    });
  },
);
