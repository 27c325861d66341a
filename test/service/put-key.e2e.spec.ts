import { CommandBus } from '@nestjs/cqrs';
import { describe, expect, it } from '@jest/globals';
import { CreateManagementKey } from '../../src/features/accounts/management-keys.commands.js';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { createKey, eventTypesOfKey, type OneKey } from '../support/harness/api-keys.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { madeString } from '../support/harness/made-strings.js';
import { accountOfEach, OPERATOR, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

/** A key of the form that `openssl rand -hex 32` prints, which is also that of a hash. */
const HEX_KEY = hashKeyString('the first management key');

const service = runningApp({ BOOTSTRAP_MANAGEMENT_KEY: HEX_KEY });

const WANTED = {
  name: 'made by the caller',
  creator_user_id: 'somebody-else',
  expires_at: '2100-01-01T00:00:00Z',
  external: { user: 'customer', lookup_key: 'a lookup key' },
  include_byok_in_limit: true,
  limit: 12.5,
  limit_reset: 'weekly',
};

describe('creating a key whose string the caller made', () => {
  const account = accountOfEach(service);

  const put = (hash: string, body: unknown = WANTED, client = account.client) =>
    client.put<OneKey>(`/v1/keys/${hash}`, body);

  async function codeOf(key: string): Promise<string> {
    const asked = await account.client.post<{ data: { code: string } }>('/v1/keys/verify', { key });
    return asked.body.data.code;
  }

  function expectUsed(answer: Answer): void {
    expect(errorOf(answer, 409)).toMatchObject({ reason: 'hash-used', metadata: null });
  }

  it('answers 201 with the record as GET shows it, without a key string, which then opens it', async () => {
    const { key, hash } = madeString();
    const created = await put(hash);
    expect(created.status).toBe(201);
    expect(created.body).toEqual((await account.client.get(`/v1/keys/${hash}`)).body);
    expect(created.body.data).toMatchObject({ hash, external_user: { user: 'customer' } });
    expect(await codeOf(key)).toBe('VALID');
  });

  it('answers the same again with 200 and no event, whatever has changed since', async () => {
    const { hash } = madeString();
    await put(hash);
    const repeated = { ...WANTED, expires_at: '2100-01-01T00:00:00.000900Z' };
    const { api_key, ...external } = { user: 'customer', api_key: 'a lookup key' };
    for (const body of [WANTED, repeated, { ...WANTED, external: { ...external, api_key } }]) {
      expect(await put(hash, body)).toMatchObject({ status: 200, body: { data: { hash } } });
    }
    const change = { name: 'another', limit: null, disabled: true };
    const changed = await account.client.patch<OneKey>(`/v1/keys/${hash}`, change);
    const before = await stateOf(service);
    const again = await put(hash);
    expect(again).toMatchObject({ status: 200, body: changed.body });
    expect(again.body.data).toMatchObject(change);
    expect(await stateOf(service)).toEqual(before);
    const { total_count } = (
      await account.client.get<{ total_count: number }>('/v1/keys?include_disabled=true')
    ).body;
    expect(total_count).toBe(1);
  });

  it('repeats the creation by POST likewise, and by any user unless the body names one', async () => {
    const { data } = await createKey(account.client, { name: 'posted' });
    const { managementKey } = await anotherUser();
    const other = account.client.as(managementKey);
    expect(await put(data.hash, { name: 'posted' }, other)).toMatchObject({
      status: 200,
      body: { data: { ...data, creator_user_id: account.userId } },
    });
    const named = { name: 'posted', creator_user_id: 'user-bob' };
    const differs = errorOf(await put(data.hash, named, other), 409);
    expect(differs.metadata).toEqual({ fields: ['creator_user_id'] });
    expect(await eventTypesOfKey(service, data.hash)).toEqual(['ApiKeyCreated']);
  });

  it('refuses other content, and names every field of it', async () => {
    const { hash } = madeString();
    await put(hash);
    const before = await stateOf(service);
    const other = await put(hash, { name: 'another', workspace_id: 'none' });
    expect(errorOf(other, 409)).toMatchObject({
      reason: 'key-differs',
      metadata: {
        fields: [
          ...['name', 'expires_at', 'external', 'include_byok_in_limit'],
          ...['limit', 'limit_reset', 'workspace_id'],
        ],
      },
    });
    expect(await stateOf(service)).toEqual(before);
  });

  it('refuses a hash that anything else has, with one answer for all', async () => {
    const deleted = madeString();
    await put(deleted.hash);
    await account.client.delete(`/v1/keys/${deleted.hash}`);
    expectUsed(await put(deleted.hash));
    const foreign = await createKey((await service.openAccount()).client);
    expectUsed(await put(foreign.data.hash));
    expect(await codeOf(foreign.key)).toBe('NOT_FOUND');
  });

  it('is the one answer about a hash for keys and management keys, in every order', async () => {
    const rival = await service.openAccount();
    const asKey = (hash: string, client = account.client) => put(hash, { name: 'a' }, client);
    const asManagementKey = (hash: string, client = account.client) =>
      client.put(`/v1/management-keys/${hash}`, { role: 'gateway' });
    for (const [first, second] of [
      [asKey, asManagementKey],
      [asManagementKey, asKey],
      [asManagementKey, asManagementKey],
    ] as const) {
      const { hash } = madeString();
      expect(await first(hash)).toMatchObject({ status: 201 });
      expectUsed(await second(hash, rival.client));
      if (first !== second) expectUsed(await second(hash));
      const [raced] = [madeString().hash];
      const both = await Promise.all([first(raced), second(raced, rival.client)]);
      expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
  });

  it('knows a hash before it looks at the workspace that the body names', async () => {
    const { hash } = madeString();
    const workspace_id = await makeWorkspace(service, account);
    const body = { ...WANTED, workspace_id };
    await put(hash, body);
    await account.client.patch(`/v1/keys/${hash}`, { workspace_id: account.defaultWorkspaceId });
    await account.client.delete(`/v1/workspaces/${workspace_id}`);
    expect(await put(hash, body)).toMatchObject({ status: 200 });
    const fresh = errorOf(await put(madeString().hash, body), 400);
    expect(fresh).toMatchObject({ reason: 'workspace-unknown', paths: ['workspace_id'] });
  });

  it('creates one key, for one account, however many ask for the hash at once', async () => {
    const rival = await service.openAccount();
    const { hash } = madeString();
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        put(hash, WANTED, index % 2 === 0 ? account.client : rival.client),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(7).fill(200), 201, ...Array<number>(8).fill(409)]);
    expect(await eventTypesOfKey(service, hash)).toEqual(['ApiKeyCreated']);
  });

  it.each([
    ['too short', 'ab'.repeat(31)],
    ['of upper case', 'AB'.repeat(32)],
    ['no hex', 'xy'.repeat(32)],
    ['the digits of an API key string', madeString().key.slice(-64)],
    ['the digits of a management key string', madeString('mk-v1-').key.slice(-64)],
  ])('refuses a hash that is %s, and never repeats it', async (_, hash) => {
    const lines = service.logLines.length;
    const answer = await put(hash);
    expectInvalid(answer, account, 'hash');
    expect(answer.text).not.toContain(hash);
    expect(service.logLines.slice(lines).join()).not.toContain(hash);
  });

  it('refuses the key that the request is made with in place of a hash, and never repeats it', async () => {
    const before = await stateOf(service);
    const lines = service.logLines.length;
    const answer = await put(HEX_KEY, WANTED, service.client);
    expect(errorOf(answer, 400)).toMatchObject({ reason: 'request-invalid', paths: ['hash'] });
    expect(answer.text).not.toContain(HEX_KEY);
    expect(service.logLines.slice(lines).join()).not.toContain(HEX_KEY);
    expect(await stateOf(service)).toEqual(before);
  });

  it('checks the body as POST does, unknown fields too', async () => {
    const { key, hash } = madeString();
    expectInvalid(await put(hash, { limit: -1 }), account, 'limit', 'name');
    expectInvalid(await put(hash, { name: key }), account, 'name');
    expect(await put(hash, { ...WANTED, unknown: 1 })).toMatchObject({ status: 201 });
  });

  async function anotherUser(): Promise<{ readonly managementKey: string }> {
    const { key: managementKey, hash } = madeString('mk-v1-');
    const owner = account.userId;
    const wanted = { hash, user_id: owner, name: null, role: 'admin', expires_at: null } as const;
    const command = new CreateManagementKey(account.accountId, wanted, OPERATOR);
    await service.app.get(CommandBus).execute(command);
    return { managementKey };
  }
});
