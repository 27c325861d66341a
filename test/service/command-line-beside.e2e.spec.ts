import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { keyledger } from '../support/harness/command-line.js';
import { eventually } from '../support/harness/eventually.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { startService, type ServiceProcess } from '../support/harness/service-process.js';

const A_SECOND_MS = 1_000;

interface CreatedKey {
  readonly data: { readonly hash: string };
}

describe('what the command line changes, a running service sees within a second:', () => {
  let backends: Backends;
  let service: ServiceProcess;
  let account: Record<string, string>;
  let client: HttpClient;

  async function done(...args: string[]): Promise<Record<string, string>> {
    const { code, stderr, json } = await keyledgerHere(backends.settings, ...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return json as Record<string, string>;
  }

  function within<Seen>(look: () => Promise<Seen>): Promise<unknown> {
    return eventually('the service sees the change', look, A_SECOND_MS);
  }

  async function createKey(fields: object): Promise<string> {
    const created = await client.post<CreatedKey>('/v1/keys', { name: 'a key', ...fields });
    expect(created.status).toBe(201);
    return created.body.data.hash;
  }

  async function createWorkspace(...restrictions: string[]): Promise<string> {
    const wanted = ['--account', account.account_id ?? '', '--name', 'Another'];
    const options = restrictions.flatMap((restriction) => ['--restriction', restriction]);
    const made = await done('workspaces', 'create', ...wanted, ...options);
    return made.workspace_id ?? '';
  }

  function move(hash: string, workspaceId: string): Promise<{ readonly status: number }> {
    return client.patch(`/v1/keys/${hash}`, { workspace_id: workspaceId });
  }

  beforeAll(async () => {
    backends = await freshBackends();
    service = await startService(backends.settings);
  });

  beforeEach(async () => {
    account = await done('accounts', 'create', '--name', 'Ada & Co', '--owner', 'ada');
    client = service.client.as(account.management_key);
  });

  afterAll(async () => {
    await service.stop('SIGKILL');
    await backends.dispose();
  });

  it('a new account, whose key works', async () => {
    await within(async () => (await client.get('/v1/end-users')).status === 200);
    expect(await client.post('/v1/end-users', { user: 'u' })).toMatchObject({ status: 201 });
  });

  it('a new management key, which works, and its end, after which it does not', async () => {
    const wanted = ['--account', account.account_id ?? '', '--user', 'ada'];
    const made = await done('management-keys', 'create', ...wanted);
    const holder = service.client.as(made.management_key);
    await within(async () => (await holder.get('/v1/end-users')).status === 200);
    await done('management-keys', 'revoke', '--hash', made.hash ?? '');
    await within(async () => (await holder.get('/v1/end-users')).status === 401);
    expect(await client.get('/v1/end-users')).toMatchObject({ status: 200 });
  });

  it('the removal of a member, which ends the keys of that member', async () => {
    const member = ['--account', account.account_id ?? '', '--user', 'grace'];
    await done('members', 'add', ...member);
    const made = await done('management-keys', 'create', ...member);
    const holder = service.client.as(made.management_key);
    expect(await holder.get('/v1/end-users')).toMatchObject({ status: 200 });
    await done('members', 'remove', ...member);
    await within(async () => (await holder.get('/v1/end-users')).status === 401);
  });

  it('a new workspace, in which keys can be made', async () => {
    const workspaceId = await createWorkspace();
    const hash = await createKey({ workspace_id: workspaceId });
    expect(await client.patch(`/v1/keys/${hash}`, { name: 'renamed' })).toMatchObject({
      body: { data: { workspace_id: workspaceId } },
    });
    const foreign = await service.client.post('/v1/keys', { name: 'x', workspace_id: workspaceId });
    expect(foreign.status).toBe(400);
  });

  it('a restriction, which from then on stops a move that would loosen it', async () => {
    const from = await createWorkspace();
    const to = account.default_workspace_id ?? '';
    const [before, after] = [
      await createKey({ workspace_id: from }),
      await createKey({ workspace_id: from }),
    ];
    expect(await move(before, to)).toMatchObject({ status: 200 });
    await done('workspaces', 'restrict', '--workspace', from, '--restriction', 'eu-only');
    expect(await move(after, to)).toMatchObject({ status: 403 });
    await done('workspaces', 'restrict', '--workspace', to, '--restriction', 'eu-only');
    expect(await move(after, to)).toMatchObject({ status: 200 });
    await done('workspaces', 'restrict', '--workspace', from, '--restriction', 'no-training');
    expect(await move(after, from)).toMatchObject({ status: 403 });
  });

  it('a member of a workspace, whose keys may move there until the membership ends', async () => {
    const workspaceId = await createWorkspace();
    const [first, second] = [await createKey({}), await createKey({})];
    expect(await move(first, workspaceId)).toMatchObject({ status: 409 });
    const member = ['--workspace', workspaceId, '--user', 'ada'];
    await done('workspaces', 'members', 'add', ...member);
    expect(await move(first, workspaceId)).toMatchObject({ status: 200 });
    await done('workspaces', 'members', 'remove', ...member);
    expect(await move(second, workspaceId)).toMatchObject({ status: 409 });
  });

  it('and a list does not wait while others write', async () => {
    let written = 0;
    const stop = new AbortController();
    const writing = (async () => {
      for (; !stop.signal.aborted; written += 1) await createKey({});
    })();
    const patient = { ...backends.settings, READ_YOUR_WRITES_TIMEOUT: '60s' };
    const of = ['--account', account.account_id ?? '', '--json'];
    const before = written;
    const listed = await keyledger(patient, 'workspaces', 'list', ...of);
    expect(written).toBeGreaterThan(before);
    stop.abort();
    await writing;
    expect(listed).toMatchObject({ code: 0, json: { data: [{ name: 'Default' }] } });
  });
});
