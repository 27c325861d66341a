import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { freePort } from '../support/backends/server-process.js';
import { auditPage } from '../support/harness/audit-events.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { eventually } from '../support/harness/eventually.js';
import { HttpClient } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import {
  launchService,
  type LaunchedService,
  startService,
  type ServiceProcess,
} from '../support/harness/service-process.js';
import { storedEvents } from '../support/harness/stored-events.js';

const embeddedLog = onlyOn('embedded', 'the log is replaced, as a file');

/** The active end users among 120: every third is deactivated, and one of those is reactivated. */
const ACTIVE = 81;
/** How long the start of a process may take on a busy machine. */
const STARTED_WITHIN_MS = 20_000;
const EVERY_KEY = '/v1/keys?workspace_id=all&include_disabled=true';

function deleteDatabase(dataDir: string, name: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataDir, name + suffix), { force: true });
}

describe('between two runs', () => {
  let backends: Backends;
  let settings: Record<string, string>;
  let running: LaunchedService | undefined;
  let hashes: string[];

  async function start(): Promise<ServiceProcess> {
    const service = await startService(settings);
    running = service;
    return service;
  }

  /** Gives every answer that callers and operators can read. */
  async function answers({ client }: ServiceProcess): Promise<Record<string, string>> {
    const paths = [
      '/v1/end-users',
      '/v1/end-users?limit=100&offset=0',
      '/v1/end-users?limit=7&offset=13',
      '/v1/end-users?user=user-17',
      '/v1/end-users?include_inactive=true&offset=119',
      '/v1/end-users/user-18',
      '/v1/workspaces',
      '/v1/workspaces/default',
      '/v1/workspaces/default/members',
      '/v1/audit-events?action=key.disabled',
    ];
    const read: Record<string, string> = {};
    const keep = async (path: string): Promise<void> => {
      const { status, text } = await client.get(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      read[path] = text;
    };
    for (const path of paths) await keep(path);
    for (const hash of hashes) {
      read[hash] = (await client.patch(`/v1/keys/${hash}`, { name: 'renamed' })).text;
    }
    for (const path of [EVERY_KEY, '/v1/keys', '/v1/key']) await keep(path);
    // The page at the cursor, and the next page.
    const trail = await auditPage(client, 'limit=100');
    read.trail = trail.text;
    await keep(`/v1/audit-events?limit=100&cursor=${trail.body.next_cursor ?? ''}`);
    for (const { id } of trail.body.data.slice(0, 3)) await keep(`/v1/audit-events/${id}`);
    const accounts = await keyledgerHere(backends.settings, 'accounts', 'list', '--json');
    read.accounts = accounts.stdout;
    return read;
  }

  async function write({ client }: ServiceProcess): Promise<void> {
    const users = Array.from({ length: 120 }, (_, number) => `user-${number}`);
    const everyThird = users.filter((_, number) => number % 3 === 0);
    await Promise.all(users.map((user) => client.post('/v1/end-users', { user })));
    await Promise.all(everyThird.map((user) => client.delete(`/v1/end-users/${user}`)));
    await client.patch('/v1/end-users/user-18', { is_active: true });
    for (let number = 0; number < 5; number++) {
      const wanted = { name: `key-${number}`, limit: number, external: { user: 'ada' } };
      const created = await client.post<{ data: { hash: string } }>('/v1/keys', wanted);
      hashes.push(created.body.data.hash);
      await client.patch(`/v1/keys/${hashes.at(-1) ?? ''}`, { name: 'renamed' });
    }
    await client.patch(`/v1/keys/${hashes.at(-1) ?? ''}`, { disabled: true });
    const gone = await client.post<{ data: { hash: string } }>('/v1/keys', { name: 'gone' });
    await client.delete(`/v1/keys/${gone.body.data.hash}`);
  }

  beforeEach(async () => {
    backends = await freshBackends();
    settings = {
      ...backends.settings,
      BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-'),
    };
    hashes = [];
    running = undefined;
  });

  afterEach(async () => {
    await running?.stop('SIGKILL');
    await backends.dispose();
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'the read models may be deleted: after %s and a replay every answer is the same, byte for byte',
    async (signal) => {
      const first = await start();
      await write(first);
      const before = await answers(first);
      expect(JSON.parse(before['/v1/end-users'] ?? '')).toMatchObject({ total_count: ACTIVE });
      expect(JSON.parse(before[EVERY_KEY] ?? '')).toMatchObject({ total_count: 5 });
      expect(JSON.parse(before['/v1/keys'] ?? '')).toMatchObject({ total_count: 4 });
      expect(JSON.parse(before.trail ?? '')).toMatchObject({ next_cursor: expect.any(String) });
      await first.stop(signal);
      const written = await storedEvents(backends.settings);
      await backends.deleteReadModels();
      const second = await start();
      expect(await answers(second)).toEqual(before);
      await second.stop();
      expect(await storedEvents(backends.settings)).toEqual(written);
    },
  );

  it('the read models may be deleted again and again, with writes in between', async () => {
    for (const round of [1, 2, 3]) {
      const { client } = await start();
      expect(await client.post('/v1/end-users', { user: `in-${round}` })).toMatchObject({
        status: 201,
      });
      expect(await client.get('/v1/end-users')).toMatchObject({ body: { total_count: round } });
      await running?.stop();
      await backends.deleteReadModels();
    }
  });

  embeddedLog.it(
    'the log may not be replaced by an older one: the read side says that it is ahead of it, and the service is not ready',
    async () => {
      const log = join(backends.dataDir, 'events.db');
      await (await start()).stop();
      copyFileSync(log, `${log}.older`);
      const first = await start();
      await write(first);
      await first.stop();
      deleteDatabase(backends.dataDir, 'events.db');
      renameSync(`${log}.older`, log);
      settings.PORT = String(await freePort());
      settings.READ_YOUR_WRITES_TIMEOUT = '100ms';
      running = launchService(settings);
      const { logged } = running;
      const stuck = await eventually(
        'the read side is stuck',
        () =>
          logged().find(
            ({ level, read_models }) => Number(level) >= 50 && read_models === 'management',
          ),
        STARTED_WITHIN_MS,
      );
      expect(JSON.stringify(stuck)).toContain('the event log does not hold position');
      const client = new HttpClient(`http://127.0.0.1:${settings.PORT}`);
      const ready = await client.get<{ error: { metadata: { missing: object[] } } }>(
        '/health/ready',
      );
      expect(ready.status).toBe(503);
      expect(ready.body.error.metadata.missing).toContainEqual({
        part: 'read models of management',
        problem: 'stuck',
      });
      expect(await client.get('/health/live')).toMatchObject({ status: 200 });
      expect(await running.stop()).toBe(0);
    },
  );
});
