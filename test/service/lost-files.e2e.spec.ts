import { randomUUID } from 'node:crypto';
import { copyFileSync, cpSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { auditEvents } from '../support/harness/audit-events.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import { onlyOn } from '../support/harness/only-on.js';
import {
  launchService,
  runServiceToItsEnd,
  type ServiceProcess,
} from '../support/harness/service-process.js';
import { stageOfEach } from '../support/harness/stage.js';

const embedded = onlyOn('embedded', 'the log is files that somebody can remove');

const MANAGED = { BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-') };
const CREATE = ['accounts', 'create', '--name', 'Other', '--owner', 'ada'];

embedded.describe('the files of the log', () => {
  const { backends, start } = stageOfEach();
  let service: ServiceProcess;

  const path = (name: string): string => join(backends.dataDir, name);
  const register = (user: string) => service.client.post('/v1/end-users', { user });

  beforeEach(async () => {
    service = await start(MANAGED);
    expect(await register('before')).toMatchObject({ status: 201 });
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

  it.each(FAULTS)(
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
      service = await start(MANAGED);
      const { body } = await service.client.get<{ total_count: number }>('/v1/end-users');
      expect(body.total_count).toBe(3);
    },
  );

  it('may lose the shared memory, which is only a cache', async () => {
    rmSync(path('events.db-shm'));
    expect(await register('after')).toMatchObject({ status: 201 });
    expect(await service.stop()).toBe(0);
  });

  it('of a restored volume, which nobody serves, are open to commands', async () => {
    renameSync(backends.dataDir, `${backends.dataDir}-before`);
    cpSync(`${backends.dataDir}-before`, backends.dataDir, { recursive: true });
    const created = await keyledgerHere(backends.settings, ...CREATE);
    await service.stop('SIGKILL');
    rmSync(`${backends.dataDir}-before`, { recursive: true });
    expect(created).toMatchObject({ code: 0, stderr: '' });
  });

  describe('that were lost', () => {
    beforeEach(async () => {
      await eventually('the read models have it', async () => {
        const { body } = await service.client.get<{ total_count: number }>('/v1/end-users');
        return body.total_count === 1;
      });
      await service.stop('SIGKILL');
    });

    const expectRefused = async (problem: string): Promise<void> => {
      const { code, output } = await runServiceToItsEnd({ ...backends.settings, ...MANAGED });
      expect(code).toBe(1);
      expect(output).toContain(problem);
      expect(output).not.toContain('First start');
      expect(output).not.toContain('rebuild');
    };

    it('are no first start', async () => {
      ['events.db', 'events.db-wal', 'events.db-shm'].forEach((name) => rmSync(path(name)));
      await expectRefused('the event log is empty, but ');
      const created = await keyledgerHere(backends.settings, ...CREATE);
      expect(created).toMatchObject({ code: 1, stdout: '' });
      expect(created.stderr).toContain('the event log is empty, but ');
      const rebuilt = await keyledgerHere(backends.settings, 'projections', 'rebuild');
      expect(rebuilt).toMatchObject({ code: 1 });
      expect(rebuilt.stderr).toContain('the event log is empty, but ');
    });

    it('are those of usage too', async () => {
      service = await start(MANAGED);
      const records = [{ key_hash: UNKNOWN_HASH, cost: 1 }];
      const reported = await service.client.send('PUT', `/v1/usage-reports/${randomUUID()}`, {
        body: { records },
      });
      expect(reported).toMatchObject({ status: 201 });
      await eventually('the read models have it', async () => {
        const { json } = await keyledgerHere(backends.settings, 'projections', 'status', '--json');
        return (json as { data: { position: string | null }[] }).data[1]?.position != null;
      });
      await service.stop('SIGKILL');
      ['usage.db', 'usage.db-wal', 'usage.db-shm'].forEach((name) => rmSync(path(name)));
      await expectRefused('the event log is empty, but the read side usage has folded one');
    });

    it('are no first start either when the write-ahead log is all that is left', async () => {
      rmSync(path('events.db'));
      await expectRefused('restore both together');
      expect(readdirSync(backends.dataDir)).not.toContain('events.db');
    });
  });
});

embedded.describe('a first start that is killed', () => {
  const { backends, start } = stageOfEach();

  it.each([/./, /"starting"/, /First start/, /"ready"/])(
    'as soon as it says %s begins again',
    async (said) => {
      const first = launchService(backends.settings);
      await eventually('it says so', () => said.test(first.output()));
      await first.stop('SIGKILL');
      const service = await start(MANAGED);
      expect(await service.stop()).toBe(0);
    },
  );
});

/** An event that an import or a merge may add: in the stream of the last event, with the id of the first event. */
const DOUBLED = `INSERT INTO events (stream, revision, id, type, version, data, metadata)
  SELECT stream, revision + 1, (SELECT id FROM events WHERE position = 1), 'EndUserDeactivated', 1, data,
    metadata
  FROM events ORDER BY position DESC LIMIT 1`;

embedded.describe('a log in which two events have one id', () => {
  const { backends, start } = stageOfEach();

  it('stops nobody: both are told, and by the id the first one', async () => {
    let service = await start();
    const register = (user: string) => service.client.post('/v1/end-users', { user });
    expect(await register('ada')).toMatchObject({ status: 201 });
    const before = await auditEvents(service.client);
    const log = new Database(join(backends.dataDir, 'events.db'));
    log.exec(DOUBLED);
    log.close();
    expect(await register('bob')).toMatchObject({ status: 201 });
    const { managementKey } = service;
    await service.stop('SIGKILL');
    service = await start({ BOOTSTRAP_MANAGEMENT_KEY: managementKey });
    const [, doubled, ...others] = await auditEvents(service.client);
    expect(others).toEqual(before);
    const first = before.at(-1);
    expect(doubled).toMatchObject({ id: first?.id, action: 'end-user.deactivated' });
    const one = await service.client.get(`/v1/audit-events/${first?.id ?? ''}`);
    expect(one).toMatchObject({ status: 200, body: { data: first } });
    expect(await service.client.get('/health/ready')).toMatchObject({ status: 200 });
  });
});
