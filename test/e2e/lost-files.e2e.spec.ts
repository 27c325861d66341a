import { copyFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { type Backends, freshBackends } from '../harness/backends.js';
import { keyledgerHere } from '../harness/command-in-process.js';
import { errorOf } from '../harness/error-of.js';
import { eventually } from '../harness/eventually.js';
import { onlyOn } from '../harness/only-on.js';
import {
  launchService,
  runServiceToItsEnd,
  type ServiceProcess,
  startService,
} from '../harness/service-process.js';

const embedded = onlyOn('embedded', 'the log is files that somebody can remove');

const CREATE = ['accounts', 'create', '--name', 'Other', '--owner', 'ada'];
const WITHIN_MS = 1_000;

embedded.describe('the files of the log', () => {
  let backends: Backends;
  let settings: Record<string, string>;
  let service: ServiceProcess;

  const path = (name: string): string => join(backends.dataDir, name);
  const register = (user: string) => service.client.post('/v1/end-users', { user });

  // The first command loads the modules of the service, which takes longer than the measured second.
  beforeAll(async () => {
    const unused = await freshBackends();
    await keyledgerHere(unused.settings, ...CREATE);
    await unused.dispose();
  });

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

  const FAULTS: readonly (readonly [string, string, () => void])[] = [
    ['events.db is removed', 'events.db was removed', () => rmSync(path('events.db'))],
    [
      'all of them are removed',
      'events.db was removed',
      () => ['events.db', 'events.db-wal', 'events.db-shm'].forEach((name) => rmSync(path(name))),
    ],
    [
      'a backup is moved over events.db',
      'events.db was replaced',
      () => {
        copyFileSync(path('events.db'), path('backup'));
        renameSync(path('backup'), path('events.db'));
      },
    ],
    ['events.db-wal is removed', 'events.db-wal was removed', () => rmSync(path('events.db-wal'))],
    ['the lock is removed', 'service.lock was removed', () => rmSync(path('service.lock'))],
    [
      'the lock is replaced',
      'service.lock was replaced',
      () => {
        writeFileSync(path('other'), '');
        renameSync(path('other'), path('service.lock'));
      },
    ],
  ];

  embedded.it.each(FAULTS)(
    'are missed when %s: by a command that writes beside the service, and within a second by the service, which refuses writes and tells all who ask',
    async (_, problem, harm) => {
      harm();
      const since = performance.now();
      const before = readdirSync(backends.dataDir).sort();
      const { code, stderr, stdout } = await keyledgerHere(settings, ...CREATE);
      const after = readdirSync(backends.dataDir).sort();
      const refused = await eventually('a write is refused', async () => {
        const answer = await register(`user-${performance.now()}`);
        return answer.status !== 201 && answer;
      });
      expect(performance.now() - since).toBeLessThan(WITHIN_MS);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(problem);
      expect(stderr).toContain(`process ${service.child.pid}`);
      expect(after).toEqual(before);
      errorOf(refused, 503);
      const ready = await service.client.get('/health/ready');
      expect(errorOf(ready, 503).metadata).toMatchObject({
        missing: [{ part: 'event log', problem: 'unavailable' }],
      });
      const line = await service.logs(/^writes are refused/);
      expect(line).toMatchObject({ level: 50, msg: expect.stringContaining(problem) });
      expect(await service.client.get('/v1/end-users')).toMatchObject({ status: 200 });
      expect(await service.stop()).toBe(1);
      expect(service.output()).toContain('the last writes may be lost');
    },
  );

  embedded.it('may lose the shared memory, which is only a cache', async () => {
    rmSync(path('events.db-shm'));
    expect(await register('after')).toMatchObject({ status: 201 });
    expect(await service.stop()).toBe(0);
  });

  embedded.it('stay refused when they come back', async () => {
    renameSync(path('events.db'), path('away'));
    await service.logs(/^writes are refused/);
    renameSync(path('away'), path('events.db'));
    errorOf(await register('after'), 503);
    await service.stop();
    service = await startService(settings);
    expect(await register('after')).toMatchObject({ status: 201 });
  });

  embedded.it('do not concern a command once the service is gone, however it ended', async () => {
    await service.stop('SIGKILL');
    copyFileSync(path('events.db'), path('backup'));
    renameSync(path('backup'), path('events.db'));
    expect(await keyledgerHere(settings, ...CREATE)).toMatchObject({ code: 0, stderr: '' });
  });

  embedded.it('are locked by a service that is named to the next one', async () => {
    const { code, output } = await runServiceToItsEnd(settings);
    expect(code).toBe(1);
    expect(output).toContain('another keyledger service is running on the data directory');
    expect(output).toContain(`(process ${service.child.pid} on `);
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
