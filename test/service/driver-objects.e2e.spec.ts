import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { keyledger } from '../support/harness/command-line.js';
import { onlyOn } from '../support/harness/only-on.js';
import { startService } from '../support/harness/service-process.js';

const embedded = onlyOn('embedded', 'both use the driver whose objects are counted');

embedded.describe(
  'the objects of the SQLite driver, whose collection can end a process of Node 24',
  () => {
    let backends: Backends;
    let environment: Record<string, string>;

    beforeEach(async () => {
      backends = await freshBackends();
      environment = {
        ...backends.settings,
        DRIVER_CENSUS: join(backends.dataDir, 'census'),
        NODE_OPTIONS: `--import ${pathToFileURL(resolve('test/support/harness/driver-census.mjs')).href}`,
      };
    });

    afterEach(async () => {
      await backends.dispose();
    });

    interface Census {
      readonly made: number;
      readonly collected: number;
    }

    /** Gives the census of each thread of the process. */
    function censuses(): Census[] {
      const files = readdirSync(backends.dataDir).filter((name) => name.startsWith('census.'));
      return files.map(
        (name) => JSON.parse(readFileSync(join(backends.dataDir, name), 'utf8')) as Census,
      );
    }

    function sumOf(all: readonly Census[]): Census {
      return {
        made: all.reduce((sum, { made }) => sum + made, 0),
        collected: all.reduce((sum, { collected }) => sum + collected, 0),
      };
    }

    it('all outlive a run of the command line, which has closed them', async () => {
      const args = ['accounts', 'create', '--name', 'Acme', '--owner', 'ada'];
      expect(await keyledger(environment, ...args)).toMatchObject({ code: 0 });
      const { made, collected } = sumOf(censuses());
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
      const all = censuses();
      expect(all.length).toBeGreaterThanOrEqual(2);
      const { made, collected } = sumOf(all);
      expect(made).toBeGreaterThan(10);
      expect(collected).toBe(0);
    });
  },
);
