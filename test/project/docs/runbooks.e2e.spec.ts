import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { hashKeyString, mintKeyString } from '../../../src/kernel/key-string.js';
import { createKey, type CreatedKey } from '../../support/harness/api-keys.js';
import { eventually } from '../../support/harness/eventually.js';
import { scrape } from '../../support/harness/exposed-metrics.js';
import { limitFileSize } from '../../support/harness/file-faults.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { onlyOn, onlyWhereInstalled } from '../../support/harness/only-on.js';
import { type ServiceProcess, startService } from '../../support/harness/service-process.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { replaced } from '../deploy/proxy.js';
import { commandsOf, run } from './commands.js';
import { read } from './markdown.js';

const runbook = (name: string): string => `docs/operations/runbooks/${name}.md`;

type Json = Readonly<Record<string, unknown>>;

const APPENDS = 'keyledger_append_duration_seconds_count';

/** The runbooks are for these backends, whichever backends a run of the suites uses. */
const embedded = onlyOn('embedded', 'each has backends of its own');

embedded.describe('a walk through the runbook', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let dataDir: string;
  let settings: Record<string, string>;
  let service: ServiceProcess | undefined;

  const started = (): ServiceProcess => {
    if (!service) throw new Error('the service of a walk was not started');
    return service;
  };

  const register = (user: string) => started().client.post('/v1/end-users', { user });

  async function start(): Promise<void> {
    service = await startService(settings);
  }

  async function count(): Promise<number> {
    const { body } = await started().client.get<{ total_count: number }>('/v1/end-users');
    return body.total_count;
  }

  beforeEach(() => {
    directory = makeTempDirectory();
    dataDir = join(directory.path, 'data');
    settings = { DATA_DIR: dataDir, BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-') };
  });

  afterEach(async () => {
    await service?.stop('SIGKILL');
    service = undefined;
    directory.remove();
  });

  it('for a full disk: changes go on by themselves', async () => {
    await start();
    expect(await register('ada')).toMatchObject({ status: 201 });
    const { pid = 0 } = started().child;
    await limitFileSize(pid, 0);
    expect(await register('bob')).toMatchObject({ status: 503 });
    const line = /a line of level 50 with\s`"msg":"(.*?)"`/;
    const [, quoted] = line.exec(read(runbook('make-room-on-a-full-disk'))) ?? [];
    expect(await started().logs(/unavailable$/)).toMatchObject({ level: 50, msg: quoted });
    const failed = (await scrape(started().client)).value(APPENDS, { outcome: 'failed' });
    expect(failed).toBeGreaterThan(0);
    const commands = commandsOf(runbook('make-room-on-a-full-disk'));
    expect(commands).toHaveLength(2);
    const [see = '', verify = ''] = commands;
    expect((await run(see, settings)).stdout).toContain('events.db');
    await limitFileSize(pid, 'unlimited');
    expect(await register('bob')).toMatchObject({ status: 201 });
    expect(await count()).toBe(2);
    const { code, stdout } = await run(verify, settings);
    expect(code).toBe(0);
    expect(stdout.match(/ live /g)).toHaveLength(2);
  });

  it.each([
    ['is damaged', (log: string) => writeFileSync(log, readFileSync(log).fill(7, 4_096, 12_288))],
    ['is lost with all that was beside it', () => rmSync(dataDir, { recursive: true })],
    ['is lost alone', (log: string) => rmSync(log)],
  ])('for a restore when the log %s: the log of the backup serves', async (_, lose) => {
    const BACKUP = join(directory.path, 'backup');
    const given = { ...settings, BACKUP };
    await start();
    await register('ada');
    expect(await run('keyledger backup "$BACKUP"', given)).toMatchObject({ code: 0 });
    await register('bob');
    expect(await count()).toBe(2);
    await started().stop();
    lose(join(dataDir, 'events.db'));
    mkdirSync(dataDir, { recursive: true });

    const commands = commandsOf(runbook('restore-the-event-log'));
    expect(commands).toHaveLength(3);
    const [moveAway = '', putInPlace = '', verify = ''] = commands;
    expect(await run(moveAway, given)).toMatchObject({ code: 0 });
    expect(await run(putInPlace, given)).toMatchObject({ code: 0 });
    await start();
    expect(await count()).toBe(1);
    expect(await run(verify, given)).toMatchObject({ code: 0 });
    expect(await register('bob')).toMatchObject({ status: 201 });
  });

  it('for a leaked management key: it is revoked, another works, and its keys are found', async () => {
    await start();
    const [account = '', member = ''] = await firstAccount();
    const given = { ...settings, ACCOUNT: account, MEMBER: member };
    const created = await run(
      'keyledger management-keys create --account "$ACCOUNT" --user "$MEMBER" --name leaked --json',
      given,
    );
    const { hash: HASH, management_key: leaked } = JSON.parse(created.stdout) as {
      hash: string;
      management_key: string;
    };
    const thief = new HttpClient(started().address, leaked);
    const stolen = await thief.post<{ data: { hash: string } }>('/v1/keys', { name: 'stolen' });
    expect(stolen.status).toBe(201);
    const { data: taken } = await createKey(started().client);
    const rotated = await thief.post<CreatedKey>(`/v1/keys/${taken.hash}/rotate`, {});
    expect(rotated.status).toBe(201);
    const second = await thief.post<CreatedKey>('/v1/management-keys', { role: 'gateway' });
    expect(second.status).toBe(201);

    const commands = commandsOf(runbook('revoke-a-leaked-management-key'));
    expect(commands).toHaveLength(5);
    const [list = '', revoke = '', create = '', seeAll = '', seeLeft = ''] = commands;
    const variables = { ...given, HASH };
    expect((await run(list, variables)).stdout).toContain(HASH);
    expect(await run(revoke, variables)).toMatchObject({ code: 0 });
    await eventually('the key has ended', async () => (await thief.get('/v1/keys')).status === 401);
    const another = /mk-v1-[0-9a-f]{64}/.exec((await run(create, variables)).stdout)?.[0] ?? '';
    const { address } = started();
    expect(await new HttpClient(address, another).get('/v1/keys')).toMatchObject({ status: 200 });
    expect((await run(seeAll, variables)).stdout).toContain('key.created');
    const left = (await run(`${seeLeft} --json`, variables)).stdout;
    for (const { hash } of [stolen.body.data, second.body.data, taken])
      expect(left).toContain(hash);
    const { client } = started();
    const string = `/v1/keys/${taken.hash}/strings/${hashKeyString(mintKeyString('sk-v1-'))}`;
    expect(await client.put(string, { grace_seconds: 0 })).toMatchObject({ status: 201 });
    const { body } = await client.post('/v1/keys/verify', { key: rotated.body.key });
    expect(body).toMatchObject({ data: { code: 'ROTATED' } });
    await run(revoke, { ...given, HASH: second.body.data.hash });
    const ended = new HttpClient(address, second.body.key);
    await eventually('so has the second', async () => (await ended.get('/v1/key')).status === 401);
  });

  it('for a disabled key: who disabled it is found, and it works again', async () => {
    await start();
    const { data, key } = await createKey(started().client);
    await started().client.patch(`/v1/keys/${data.hash}`, { disabled: true });
    const [ACCOUNT = '', member = ''] = await firstAccount();
    const MANAGEMENT_KEY_HASH = hashKeyString(started().managementKey);
    const variables = { ...settings, ACCOUNT, API_KEY: key, HASH: data.hash, MANAGEMENT_KEY_HASH };

    const commands = commandsOf(runbook('find-out-who-disabled-a-key'));
    expect(commands).toHaveLength(4);
    const [list = '', history = '', request = '', ofThatKey = ''] = commands;
    expect((await run(list, variables)).stdout).toContain(ACCOUNT);
    const [newest] = (await run(history, variables)).stdout.split('\n');
    expect(newest).toMatch(new RegExp(`key\\.disabled.* by .*${member}`));
    const found = JSON.parse((await run(request, variables)).stdout) as Json;
    expect(found).toMatchObject({ actor: { id: MANAGEMENT_KEY_HASH } });
    const { request_id } = found;
    expect(started().logged()).toContainEqual(
      expect.objectContaining({ request_id, status: 200, route: '/v1/keys/:hash' }),
    );
    expect(await run(ofThatKey, variables)).toMatchObject({ code: 0, stderr: '' });
  });

  it('for a bad deploy: the read models are folded anew, and are right', async () => {
    await start();
    await register('ada');
    const [status = '', see = '', rebuild = '', verify = '', ...more] = commandsOf(
      runbook('rebuild-after-a-bad-deploy'),
    );
    expect(more).toEqual([]);
    expect((await run(status, settings)).stdout).toContain(' live ');
    for (const command of [see, rebuild, verify])
      expect(await run(command, settings)).toMatchObject({ code: 0 });
    expect(await count()).toBe(1);
  });

  onlyWhereInstalled('curl')('with curl', () => {
    it('for a wrong report: it is found and reversed', async () => {
      await start();
      const { client, address, managementKey } = started();
      const { data } = await createKey(client, { limit: 500_000 });
      const verified = async (): Promise<unknown> =>
        (await client.post('/v1/keys/verify', { hash: data.hash })).body;
      const REPORT = randomUUID();
      for (const [id, cost] of [
        [randomUUID(), 25],
        [REPORT, 500_000],
      ] as const) {
        const body = { records: [{ key_hash: data.hash, cost }] };
        await client.send('PUT', `/v1/usage-reports/${id}`, { body });
      }
      expect(await verified()).toMatchObject({ data: { code: 'LIMIT_EXCEEDED' } });

      const commands = commandsOf(runbook('reverse-a-wrong-report'));
      expect(commands).toHaveLength(4);
      const [find = '', see = '', reverse = '', audit = ''] = commands;
      const LOG = join(directory.path, 'log');
      const [ACCOUNT = ''] = await firstAccount();
      const MANAGEMENT_KEY_HASH = hashKeyString(managementKey);
      const given = { ...settings, ACCOUNT, MANAGEMENT_KEY_HASH, LOG, REPORT };
      const variables = { ...given, ADDRESS: address, KEY: managementKey };
      await eventually('the line of the report', () => started().output().includes(REPORT));
      writeFileSync(LOG, started().output());
      const logs = 'docker compose logs --no-log-prefix keyledger';
      const lines = (await run(replaced(find, [[logs, 'cat "$LOG"']]), variables)).stdout;
      expect(JSON.parse(lines)).toMatchObject({ report_id: REPORT, usage: 500_000 });
      for (const command of [see, reverse])
        expect(JSON.parse((await run(command, variables)).stdout)).toMatchObject({
          data: { report_id: REPORT, reported_by: { hash: MANAGEMENT_KEY_HASH } },
        });
      expect(await verified()).toMatchObject({ data: { code: 'VALID' } });
      expect((await run(audit, variables)).stdout).toContain('key.created');
    });
  });

  async function firstAccount(): Promise<string[]> {
    const { stdout } = await run('keyledger accounts list --json', settings);
    const [first] = (JSON.parse(stdout) as { data: Record<string, string>[] }).data;
    return [first?.account_id ?? '', first?.owner_user_id ?? ''];
  }
});
