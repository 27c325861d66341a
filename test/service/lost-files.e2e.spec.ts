import { copyFileSync, cpSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import { onlyOn } from '../support/harness/only-on.js';
import {
  launchService,
  runServiceToItsEnd,
  type ServiceProcess,
  startService,
} from '../support/harness/service-process.js';

const embedded = onlyOn('embedded', 'the log is files that somebody can remove');

const CREATE = ['accounts', 'create', '--name', 'Other', '--owner', 'ada'];

embedded.describe('the files of the log', () => {
  let backends: Backends;
  let settings: Record<string, string>;
  let service: ServiceProcess;

  const path = (name: string): string => join(backends.dataDir, name);
  const register = (user: string) => service.client.post('/v1/end-users', { user });

  beforeEach(async () => {
    backends = await freshBackends();
    settings = { ...backends.settings, BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-') };
    service = await startService(settings);
    expect(await register('before')).toMatchObject({ status: 201 });
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
    await backends.dispose();
  });

  const FAULTS: readonly (readonly [string, () => void])[] = [
    ['is removed', () => renameSync(path('events.db'), path('away'))],
    [
      'is replaced by a copy',
      () => {
        renameSync(path('events.db'), path('away'));
        copyFileSync(path('away'), path('events.db'));
      },
    ],
  ];

  embedded.it.each(FAULTS)(
    'are missed by readiness when events.db %s, and by nothing else: once it is back, the service is ready again, and has lost nothing',
    async (_, harm) => {
      harm();
      const missing = await eventually('readiness says it', async () => {
        const answer = await service.client.get('/health/ready');
        return answer.status === 503 && answer;
      });
      expect(errorOf(missing, 503).metadata).toMatchObject({
        missing: [{ part: 'event log', problem: 'unavailable' }],
      });
      expect(await service.logs(/^the event log is unavailable$/)).toMatchObject({
        err: { message: expect.stringContaining('events.db was removed or replaced') },
      });
      expect(await register('meanwhile')).toMatchObject({ status: 201 });
      renameSync(path('away'), path('events.db'));
      await eventually(
        'the service is ready again',
        async () => (await service.client.get('/health/ready')).status === 200,
      );
      expect(await register('after')).toMatchObject({ status: 201 });
      await service.stop('SIGKILL');
      service = await startService(settings);
      const { body } = await service.client.get<{ total_count: number }>('/v1/end-users');
      expect(body.total_count).toBe(3);
    },
  );

  embedded.it('may lose the shared memory, which is only a cache', async () => {
    rmSync(path('events.db-shm'));
    expect(await register('after')).toMatchObject({ status: 201 });
    expect(await service.stop()).toBe(0);
  });

  embedded.it('of a restored volume, which nobody serves, are open to commands', async () => {
    renameSync(backends.dataDir, `${backends.dataDir}-before`);
    cpSync(`${backends.dataDir}-before`, backends.dataDir, { recursive: true });
    const created = await keyledgerHere(settings, ...CREATE);
    await service.stop('SIGKILL');
    rmSync(`${backends.dataDir}-before`, { recursive: true });
    expect(created).toMatchObject({ code: 0, stderr: '' });
  });

  embedded.it('are locked by a service, until it ends in any way', async () => {
    const { code, output } = await runServiceToItsEnd(settings);
    expect(code).toBe(1);
    expect(output).toContain('another keyledger service is running on the data directory');
    await service.stop('SIGKILL');
    service = await startService(settings);
  });

  embedded.describe('that were lost', () => {
    beforeEach(async () => {
      await eventually('the read models have it', async () => {
        const { body } = await service.client.get<{ total_count: number }>('/v1/end-users');
        return body.total_count === 1;
      });
      await service.stop('SIGKILL');
    });

    const expectRefused = async (problem: string): Promise<void> => {
      const { code, output } = await runServiceToItsEnd(settings);
      expect(code).toBe(1);
      expect(output).toContain(problem);
      expect(output).not.toContain('First start');
      expect(output).not.toContain('rebuild');
    };

    embedded.it('are no first start', async () => {
      ['events.db', 'events.db-wal', 'events.db-shm'].forEach((name) => rmSync(path(name)));
      await expectRefused('the event log is empty, but ');
      const created = await keyledgerHere(settings, ...CREATE);
      expect(created).toMatchObject({ code: 1, stdout: '' });
      expect(created.stderr).toContain('the event log is empty, but ');
      const rebuilt = await keyledgerHere(settings, 'projections', 'rebuild');
      expect(rebuilt).toMatchObject({ code: 1 });
      expect(rebuilt.stderr).toContain('the event log is empty, but ');
    });

    embedded.it(
      'are no first start either when the write-ahead log is all that is left',
      async () => {
        rmSync(path('events.db'));
        await expectRefused('restore both together');
        expect(readdirSync(backends.dataDir)).not.toContain('events.db');
      },
    );
  });
});

embedded.describe('a first start that is killed', () => {
  let backends: Backends;

  beforeEach(async () => {
    backends = await freshBackends();
  });

  afterEach(async () => {
    await backends.dispose();
  });

  embedded.it.each([/./, /"starting"/, /First start/, /"ready"/])(
    'as soon as it says %s begins again',
    async (said) => {
      const first = launchService(backends.settings);
      await eventually('it says so', () => said.test(first.output()));
      await first.stop('SIGKILL');
      const settings = { ...backends.settings, BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-') };
      const service = await startService(settings);
      expect(await service.stop()).toBe(0);
    },
  );
});
