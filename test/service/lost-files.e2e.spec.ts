import { randomUUID } from 'node:crypto';
import { copyFileSync, cpSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

const WARN = 40;
/** How long the start of a process may take on a busy machine. */
const STARTED_WITHIN_MS = 20_000;
/** Gives the warnings of a service, and what is worse. */
const warningsOf = (service: ServiceProcess): unknown[] =>
  service.logged().flatMap(({ level, msg }) => (Number(level) >= WARN ? [msg] : []));

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
        problem: expect.stringContaining('events.db was removed or replaced'),
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
      expect(output).not.toMatch(/"level":[4-6]0/);
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

    it('are those of usage too, also without read models, until an empty file is in their place', async () => {
      for (const name of readdirSync(backends.dataDir))
        if (/usage|read-models/.test(name)) rmSync(path(name), { recursive: true });
      await expectRefused(`${path('usage.db')} was lost, but ${path('events.db')} is there`);
      const listed = await keyledgerHere(backends.settings, 'accounts', 'list');
      expect(listed).toMatchObject({ code: 1, stdout: '' });
      expect(listed.stderr).toContain(`${path('usage.db')} was lost`);
      expect(readdirSync(backends.dataDir)).not.toContain('usage.db');
      writeFileSync(path('usage.db'), '');
      service = await start(MANAGED);
      expect(warningsOf(service)).toEqual([
        `the event log ${path('usage.db')} was empty: a new one begins`,
      ]);
    });

    it('and begin anew leave their read models for whoever needs them', async () => {
      const REPORTS = `/v1/usage-reports/`;
      service = await start(MANAGED);
      const records = [{ key_hash: UNKNOWN_HASH, cost: 1 }];
      const report = () =>
        service.client.send('PUT', `${REPORTS}${randomUUID()}`, { body: { records } });
      expect(await report()).toMatchObject({ status: 201 });
      await service.stop();
      writeFileSync(path('usage.db'), '');
      service = await start(MANAGED);
      expect(warningsOf(service)).toHaveLength(1);
      expect(readdirSync(backends.dataDir).join()).toMatch(/read-models-before-/);
      expect(await report()).toMatchObject({ status: 201 });
      const { body } = await service.client.get<{ data: unknown[] }>('/v1/activity');
      expect(body.data).toMatchObject([{ usage: 1 }]);
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
      await eventually('it says so', () => said.test(first.output()), STARTED_WITHIN_MS);
      await first.stop('SIGKILL');
      const service = await start(MANAGED);
      expect(await service.stop()).toBe(0);
    },
  );
});

/**
 * An event that an import or a merge may add: in the stream of the last event, with the id of the
 * first event.
 */
const DOUBLED = `INSERT INTO events (stream, revision, id, type, version, data, metadata)
  SELECT stream, revision + 1, (SELECT id FROM events WHERE position = 2), 'EndUserDeactivated', 1, data,
    metadata
  FROM events ORDER BY position DESC LIMIT 1`;

embedded.describe('a log whose last event is of a time to come', () => {
  const { backends, start } = stageOfEach();

  it('is told of in one warning at each start', async () => {
    await (await start(MANAGED)).stop();
    const log = new Database(join(backends.dataDir, 'events.db'));
    const at = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
    const insert =
      log.prepare(`INSERT INTO events (stream, revision, id, type, version, data, metadata)
      SELECT 'other', ?, lower(hex(randomblob(16))), 'Unknown', 1, '{}', json_set(metadata, '$.occurred_at', ?)
      FROM events WHERE position = 1`);
    insert.run(0, at(4));
    const near = await start(MANAGED);
    expect(warningsOf(near)).toEqual([]);
    await near.stop();
    const ahead = at(10);
    insert.run(1, ahead);
    log.close();
    expect(warningsOf(await start(MANAGED))).toEqual([expect.stringContaining(ahead)]);
  });
});

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
