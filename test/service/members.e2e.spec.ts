import { describe, expect, it } from '@jest/globals';
import { auditEvents } from '../support/harness/audit-events.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import { BROKEN_ENCODINGS } from '../support/harness/forms.js';
import type { Answer } from '../support/harness/http-client.js';
import { madeString } from '../support/harness/made-strings.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { accountOf, accountOfEach, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

const service = runningApp({ QUOTA_MEMBERS: '4' });

describe('a member over HTTP', () => {
  const account = accountOfEach(service);
  const at = (user: string): string => `/v1/members/${encodeURIComponent(user)}`;
  const put = (user: string, body?: unknown): Promise<Answer> =>
    account.client.send('PUT', at(user), body === undefined ? {} : { body });
  const remove = (user: string): Promise<Answer> => account.client.delete(at(user));
  const list = (query = ''): Promise<Answer> => account.client.get(`/v1/members${query}`);

  it('joins once, whatever body is sent, and is listed in the order of joining', async () => {
    const bob = { user_id: 'Bob / ü', is_owner: false };
    expect(await put('Bob / ü')).toMatchObject({ status: 201, body: { data: bob } });
    const before = await stateOf(service);
    expect(await put('Bob / ü', 'not JSON')).toMatchObject({ status: 200, body: { data: bob } });
    const owner = { user_id: account.userId, is_owner: true };
    expect(await put(account.userId)).toMatchObject({ status: 200, body: { data: owner } });
    expect(await stateOf(service)).toEqual(before);
    await put('al');
    const al = { user_id: 'al', is_owner: false };
    expect((await list()).body).toEqual({ data: [owner, bob, al], total_count: 3 });
    expect((await list('?offset=1&limit=1')).body).toEqual({ data: [bob], total_count: 3 });
    expect(await list('?limit=0')).toMatchObject({ status: 400 });
    expect(await list('?user=al')).toMatchObject({ status: 400 });
  });

  it('leaves once, and takes memberships and management keys along', async () => {
    await put('bob');
    const workspace_id = await makeWorkspace(service, account, { members: ['bob'] });
    const { key } = (
      await account.client.post<{ key: string }>('/v1/management-keys', {
        role: 'admin',
        user_id: 'bob',
      })
    ).body;
    expect(await remove('bob')).toMatchObject({ status: 200, body: { deleted: true } });
    expect(await account.client.as(key).get('/v1/key')).toMatchObject({ status: 401 });
    const members = await account.client.get(`/v1/workspaces/${workspace_id}/members`);
    expect(members.body).not.toMatchObject({ data: [{ user_id: 'bob' }] });
    const actions = (await auditEvents(account.client)).map(({ action }) => action);
    expect(actions[0]).toBe('member.removed');
    for (const user of ['bob', 'nobody']) {
      expect(errorOf(await remove(user), 404).reason).toBe('not-found');
    }
  });

  it('is never the owner who leaves, nor the user of the last admin key without expiry', async () => {
    expect(errorOf(await remove(account.userId), 409).reason).toBe('owner-not-removable');
    await put('bob');
    const body = { role: 'admin', user_id: 'bob' };
    const ofBob = (await account.client.post<{ key: string }>('/v1/management-keys', body)).body;
    const own = (await account.client.get<{ data: { hash: string } }>('/v1/key')).body.data.hash;
    const bob = account.client.as(ofBob.key);
    expect(await bob.delete(`/v1/management-keys/${own}`)).toMatchObject({ status: 200 });
    expect(errorOf(await bob.delete(at('bob')), 409).reason).toBe('last-admin-key');
    expect(await bob.get('/v1/members')).toMatchObject({ body: { total_count: 2 } });
  });

  it('finds no place beyond the quota, but is found there again', async () => {
    for (const user of ['a', 'b', 'c']) await put(user);
    const refused = errorOf(await put('d'), 409);
    expect(refused).toMatchObject({
      reason: 'quota-exceeded',
      metadata: { quota: 'members', limit: 4 },
    });
    expect(await put('c')).toMatchObject({ status: 200 });
  });

  it.each([' a', 'a ', '\u0000', 'a'.repeat(513)])('has no id like %j', async (user) => {
    for (const answer of [await put(user), await remove(user)]) {
      expectInvalid(answer, account, 'user_id');
    }
  });

  it('has an id that is decoded once, and is no segment that clients resolve', async () => {
    expect(await put('a%20b')).toMatchObject({ body: { data: { user_id: 'a%20b' } } });
    for (const encoding of BROKEN_ENCODINGS) {
      const path = `/v1/members/${encoding}`;
      expect(await account.client.send('PUT', path)).toMatchObject({ status: 400 });
    }
    for (const dots of ['.', '..']) {
      for (const method of ['PUT', 'DELETE']) {
        const head = `${method} /v1/members/${dots} HTTP/1.1`;
        const authorization = `Authorization: Bearer ${account.managementKey}`;
        const lines = [head, 'Host: a', authorization, 'Connection: close', '', ''];
        const answer = await sendRaw(service.address, lines.join('\r\n'));
        expect(answer).toMatchObject({ status: 404 });
      }
    }
  });

  it('has no id with a key string in it, which is neither repeated nor stored', async () => {
    for (const secret of [madeString().key, account.managementKey]) {
      const lines = service.logLines.length;
      const answer = await put(`x${secret}`);
      expectInvalid(answer, account, 'user_id');
      expect(answer.text + service.logLines.slice(lines).join()).not.toContain(secret);
    }
  });
});

describe('members over HTTP', () => {
  const individual = accountOf(service, 'individual');

  it('are those of organizations alone', async () => {
    const { client, userId } = individual;
    for (const [method, path] of [
      ['GET', '/v1/members'],
      ['PUT', '/v1/members/bob'],
      ['DELETE', `/v1/members/${userId}`],
    ] as const) {
      const answer = await client.send(method, path);
      expect(errorOf(answer, 404).reason).toBe('organization-required');
    }
  });
});
