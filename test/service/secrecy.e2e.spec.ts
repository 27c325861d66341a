import { beforeAll, expect, it } from '@jest/globals';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { sendSecretsEverywhere } from '../support/harness/careless-caller.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import type { CommandLineResult } from '../support/harness/command-line.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { whileLogIsLost } from '../support/harness/lost-log.js';
import { unlessServerIsGiven } from '../support/harness/only-on.js';
import type { ServiceProcess } from '../support/harness/service-process.js';
import { Secrets } from '../support/harness/secrets.js';
import { stageOfAll } from '../support/harness/stage.js';
import { directoryBytes } from '../support/harness/stored-bytes.js';
import { storedEvents } from '../support/harness/stored-events.js';

const CREATIONS_ALLOWED = 32;

interface CreatedKey {
  readonly data: { readonly hash: string };
  readonly key: string;
}

unlessServerIsGiven('it is made to fail')('no secret is found', () => {
  const stage = stageOfAll();
  const { backends } = stage;
  const secrets = new Secrets();
  const bootstrapKey = secrets.keep('the bootstrap key', mintKeyString('mk-v1-'));
  const answers: string[] = [];
  const commandLine: string[] = [];
  const processOutput: string[] = [];
  const stored: Buffer[] = [];
  const files: Buffer[] = [];
  let service: ServiceProcess;
  let apiKey: string;
  let hash: string;

  async function start(): Promise<void> {
    service = await stage.start({
      BOOTSTRAP_MANAGEMENT_KEY: bootstrapKey,
      LOG_LEVEL: 'trace',
      RATE_LIMIT_KEY_CREATION: `${CREATIONS_ALLOWED}/3600s`,
    });
  }

  /**
   * Creates a key and adds its string to the secrets. Only this answer may contain the string.
   * @returns the status.
   */
  async function createKey(fields: object = {}): Promise<number> {
    const created = await service.client.post<CreatedKey>('/v1/keys', { name: 'k', ...fields });
    const key = created.status === 201 ? secrets.keep('an API key', created.body.key) : undefined;
    const rest = key === undefined ? created.text : created.text.replace(key, '');
    answers.push(JSON.stringify([...created.headers]) + rest);
    if (key !== undefined) {
      apiKey = key;
      hash = created.body.data.hash;
    }
    return created.status;
  }

  async function operate(...args: string[]): Promise<CommandLineResult> {
    const result = await keyledgerHere(backends.settings, ...args);
    const shown = /mk-v1-[0-9a-f]{64}/.exec(result.stdout)?.[0];
    const rest = shown === undefined ? result.stdout : result.stdout.replace(shown, '');
    if (shown !== undefined) secrets.keep('a management key of the command line', shown);
    commandLine.push(rest + result.stderr);
    return result;
  }

  async function useTheApi(): Promise<void> {
    for (const name of ['lookup_key', 'api_key']) {
      const external = { user: 'partner', [name]: secrets.make(`a lookup key sent as ${name}`) };
      expect(await createKey({ external, limit: 5 })).toBe(201);
    }
    const updated = await service.client.patch(`/v1/keys/${hash}`, { name: 'renamed', limit: 7 });
    expect(updated.status).toBe(200);
    answers.push(updated.text);
    for (const path of [`/v1/keys/${hash}`, '/v1/keys?workspace_id=all', '/v1/key'])
      answers.push((await service.client.get(path)).text);
    answers.push((await service.client.as(apiKey).get('/v1/key')).text);
    expect(await createKey()).toBe(201);
    for (const key of [apiKey, bootstrapKey]) {
      answers.push((await service.client.post('/v1/keys/verify', { key })).text);
      answers.push((await service.client.post('/v1/oauth/introspect', `token=${key}`)).text);
      const headers = { 'Keyledger-Authorization': `Bearer ${bootstrapKey}` };
      const asked = await service.client.as(key).get(`/v1/authorize/${key}`, { headers });
      answers.push(JSON.stringify([...asked.headers]) + asked.text);
    }
    answers.push((await service.client.delete(`/v1/keys/${hash}`)).text);
    answers.push((await service.client.as(apiKey).get('/v1/key')).text);
    expect(await createKey()).toBe(201);
    await useStrings();
    await useManagementKeys();
    answers.push((await service.client.post('/v1/end-users', { user: 'ada' })).text);
    answers.push((await service.client.get('/v1/end-users')).text);
    await lookAround(service.client);
    await lookAround(service.client.as(apiKey));
    expect((await service.client.send('DELETE', `/v1/keys/${hash}`)).status).toBe(200);
    // A deleted key is treated like one that never existed.
    await lookAround(service.client.as(apiKey));
    expect(await createKey()).toBe(201);
  }

  /** Makes key strings by PUT and by rotations, and uses and ends them. */
  async function useStrings(): Promise<void> {
    const own = secrets.keep('an API key that the caller made', mintKeyString('sk-v1-'));
    const one = `/v1/keys/${hashKeyString(own)}`;
    answers.push((await service.client.put(one, { name: 'own' })).text);
    answers.push((await service.client.put(`/v1/keys/${own.slice(-64)}`, { name: 'own' })).text);
    const rotated = await service.client.post<CreatedKey>(`${one}/rotate`, undefined);
    const later = secrets.keep('a string by rotation', rotated.body.key);
    answers.push(rotated.text.replace(later, ''));
    const made = secrets.keep('a string that the caller made', mintKeyString('sk-v1-'));
    for (const string of [hashKeyString(made), made.slice(-64), made]) {
      const body = { grace_seconds: 60 };
      answers.push((await service.client.put(`${one}/strings/${string}`, body)).text);
    }
    answers.push((await service.client.delete(`${one}/strings/${hashKeyString(later)}`)).text);
    answers.push((await service.client.delete(`${one}/strings/${later}`)).text);
    for (const key of [own, later, made]) {
      answers.push((await service.client.as(key).get('/v1/key')).text);
      answers.push((await service.client.post('/v1/keys/verify', { key })).text);
    }
    answers.push((await service.client.get(`${one}/strings`)).text);
    answers.push((await service.client.put(`/v1/end-users/${own}`, undefined)).text);
  }

  /** Makes management keys by POST and by PUT, and uses and revokes them. */
  async function useManagementKeys(): Promise<void> {
    const path = '/v1/management-keys';
    const made = await service.client.post<CreatedKey>(path, { role: 'admin' });
    const posted = secrets.keep('a management key by POST', made.body.key);
    answers.push(made.text.replace(posted, ''));
    const own = secrets.keep('a management key that the caller made', mintKeyString('mk-v1-'));
    const one = `${path}/${hashKeyString(own)}`;
    answers.push((await service.client.put(one, { role: 'auditor' })).text);
    answers.push((await service.client.put(one, { role: 'auditor', name: own })).text);
    answers.push((await service.client.put(`${path}/${own.slice(-64)}`, { role: 'admin' })).text);
    for (const client of [service.client.as(posted), service.client.as(own)]) {
      for (const read of [path, one, '/v1/key', '/v1/members']) {
        answers.push((await client.get(read)).text);
      }
      answers.push((await client.send('PUT', `/v1/members/${own}`)).text);
    }
    for (let time = 0; time < 2; time += 1) answers.push((await service.client.delete(one)).text);
    answers.push((await service.client.as(own).get('/v1/key')).text);
  }

  /** Calls every read, with a key that may be refused. */
  async function lookAround(client: HttpClient): Promise<void> {
    const workspaces = await service.client.get<{ data: { id: string }[] }>('/v1/workspaces');
    const workspace = `/v1/workspaces/${workspaces.body.data[0]?.id ?? ''}`;
    const paths = ['/v1/key', '/v1/keys', `/v1/keys/${hash}`, '/v1/keys?workspace_id=all'];
    paths.push('/v1/end-users/ada', '/v1/workspaces', workspace, `${workspace}/members`);
    paths.push('/v1/audit-events?limit=100');
    for (const path of paths) {
      const { status, text } = await client.get(path);
      expect([200, 401, 403]).toContain(status);
      answers.push(text);
    }
  }

  async function useTheCommandLine(): Promise<void> {
    const owner = ['--name', 'Ada & Co', '--owner', 'ada'];
    const account = (await operate('accounts', 'create', ...owner, '--json')).json;
    await operate('accounts', 'create', ...owner);
    const { account_id = '' } = account as Record<string, string>;
    const wanted = ['--account', account_id, '--user', 'ada'];
    const made = (await operate('management-keys', 'create', ...wanted, '--json')).json;
    await operate('management-keys', 'list', '--account', account_id);
    await operate('management-keys', 'list', '--account', account_id, '--json');
    const { hash: of = '' } = made as Record<string, string>;
    await operate('management-keys', 'revoke', '--hash', of);
    // An operator may give the key itself by mistake, instead of its hash or an id.
    await operate('management-keys', 'revoke', '--hash', bootstrapKey);
    await operate('members', 'add', '--account', bootstrapKey, '--user', 'ada');
    await operate('accounts', 'list');
    await operate('audit', '--account', account_id);
    await operate('audit', '--account', account_id, '--json');
  }

  async function meetFaults(): Promise<void> {
    const external = { user: 'partner', lookup_key: secrets.make('a lookup key without a log') };
    await whileLogIsLost(backends, service, async () => {
      expect(await createKey({ external })).toBe(503);
    });
    let creations = 0;
    while ((await createKey()) !== 429) expect(++creations).toBeLessThan(CREATIONS_ALLOWED);
    // These reads are answered when the read models have the events.
    for (const path of ['/v1/keys', '/v1/audit-events']) {
      expect((await service.client.get(path)).status).toBe(200);
    }
  }

  async function keepWhatIsStored(): Promise<void> {
    stored.push(await backends.bytes());
    files.push(directoryBytes(backends.dataDir));
  }

  beforeAll(async () => {
    await start();
    await useTheApi();
    await useTheCommandLine();
    answers.push(...(await sendSecretsEverywhere(service.client, apiKey, secrets)));
    await meetFaults();
    answers.push((await service.client.get('/metrics')).text);
    answers.push((await service.client.get('/health/ready')).text);
    await keepWhatIsStored();
    await service.stop('SIGKILL');
    processOutput.push(service.output());
    await start();
    await keepWhatIsStored();
    expect(await service.stop()).toBe(0);
    processOutput.push(service.output());
    await keepWhatIsStored();
  }, 120_000);

  it('though there are many, and the search would find them', () => {
    expect(secrets.count).toBeGreaterThan(CREATIONS_ALLOWED);
    expect(secrets.foundIn(`x${bootstrapKey}x`)).toEqual(['the bootstrap key']);
    expect(secrets.foundIn(bootstrapKey.slice(6))).toEqual(['the bootstrap key']);
  });

  it('in the event log, the read models or any file, running, killed or stopped', () => {
    for (const bytes of [...stored, ...files]) expect(secrets.foundIn(bytes)).toEqual([]);
    // A control: the search finds data that must be there.
    for (const bytes of stored) {
      expect(bytes.includes(hash)).toBe(true);
      expect(bytes.includes(hashKeyString(bootstrapKey))).toBe(true);
    }
  });

  it('in any event', async () => {
    const events = await storedEvents(backends.settings);
    expect(events.length).toBeGreaterThan(CREATIONS_ALLOWED);
    expect(secrets.foundIn(JSON.stringify(events))).toEqual([]);
  });

  it('in anything that the process printed at the most talkative level', () => {
    for (const output of processOutput) {
      expect(output).toContain('"level":20');
      expect(secrets.foundIn(output)).toEqual([]);
    }
    expect(processOutput[0]).toContain('event log unavailable');
    expect(processOutput[0]).toContain('"status":429');
  });

  it('in any answer except that of a creation', () => {
    for (const answer of answers) {
      const found = secrets.foundIn(answer);
      expect({ found, ...(found.length > 0 && { answer }) }).toEqual({ found: [] });
    }
    const statuses = new Set(answers.map((answer) => answer.slice(0, 3)));
    for (const status of ['400', '401', '403', '404', '405', '413', '415']) {
      expect(statuses).toContain(status);
    }
  });

  it('in anything that the command line printed but where it created a key', () => {
    expect(commandLine.length).toBeGreaterThan(5);
    for (const output of commandLine) expect(secrets.foundIn(output)).toEqual([]);
  });
});
