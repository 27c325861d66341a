import { beforeAll, describe, expect, it } from '@jest/globals';
import { createKey } from '../harness/api-keys.js';
import { errorOf } from '../harness/error-of.js';
import { linkedPages, nextOf } from '../harness/next-pages.js';
import { runningApp, type TestAccount } from '../harness/running-app.js';
import { makeWorkspace } from '../harness/workspaces.js';

interface Named {
  readonly hash?: string;
  readonly user?: string;
  readonly id?: string;
}

const LISTS = ['/v1/keys', '/v1/end-users', '/v1/external-users', '/v1/workspaces'] as const;

const nameOf = ({ hash, user, id }: Named): string => hash ?? user ?? id ?? '';

describe('pages linked by a cursor', () => {
  const service = runningApp();
  /** An account with seven records in each list. */
  let full: TestAccount;

  beforeAll(async () => {
    full = await service.openAccount();
    for (let number = 0; number < 7; number += 1) {
      const external = { user: `user-${number % 2}` };
      await createKey(full.client, { name: 'a & b', creator_user_id: 'ada', external });
      await full.client.post('/v1/end-users', { user: `user-${number}` });
      // The default workspace is the seventh.
      if (number < 6) await makeWorkspace(service, full);
    }
  });

  async function namesOf(path: string, account = full): Promise<string[]> {
    const names: string[] = [];
    for await (const page of linkedPages<Named>(account.client, path))
      names.push(...page.map(nameOf));
    return names;
  }

  async function linkOf(path: string, account = full): Promise<string> {
    return nextOf(await account.client.get(path), path) ?? '';
  }

  async function cursorOf(path: string, account = full): Promise<string> {
    const next = new URL(await linkOf(path, account), service.client.address);
    return next.searchParams.get('cursor') ?? '';
  }

  it('let all of 250 keys be disabled, page by page', async () => {
    const account = await service.openAccount();
    await Promise.all(Array.from({ length: 250 }, () => createKey(account.client)));
    let disabled = 0;
    for await (const page of linkedPages<Named>(account.client, '/v1/keys')) {
      disabled += page.length;
      const disable = ({ hash }: Named) =>
        account.client.patch(`/v1/keys/${hash}`, { disabled: true });
      await Promise.all(page.map(disable));
    }
    expect(disabled).toBe(250);
    const { body } = await account.client.get('/v1/keys');
    expect(body).toEqual({ data: [], total_count: 0 });
  }, 60_000);

  it.each(LISTS)('give every record of %s once, in the order of pages by offset', async (path) => {
    const { body } = await full.client.get<{ data: Named[] }>(`${path}?limit=100`);
    const all = body.data.map(nameOf);
    expect(all).toHaveLength(7);
    for (const limit of [1, 2, 6]) expect(await namesOf(`${path}?limit=${limit}`)).toEqual(all);
    expect(await namesOf(`${path}?limit=2&offset=3`)).toEqual(all.slice(3));
  });

  it.each([
    ['name=a%20%26+b', 7],
    ['external_user=user-0&include_disabled=true', 4],
    ['name=a+%26+b&external_user=user-1', 3],
    ['workspace_id=all&creator_user_id=ada&external_user=user-0&include_disabled=true', 4],
  ])('of keys keep the filters of %s', async (query, count) => {
    const { body } = await full.client.get<{ data: Named[] }>(`/v1/keys?${query}`);
    expect(body.data).toHaveLength(count);
    expect(await namesOf(`/v1/keys?${query}&limit=2`)).toEqual(body.data.map(nameOf));
  });

  it('leave filters that make a long address to the client', async () => {
    const account = await service.openAccount();
    const name = 'é'.repeat(200);
    const user = 'ü'.repeat(200);
    for (let number = 0; number < 2; number += 1)
      await createKey(account.client, { name, external: { user } });
    const filters = new URLSearchParams({ name, external_user: user }).toString();
    const short = new URLSearchParams({ name }).toString();
    expect(await linkOf(`/v1/keys?${short}&limit=1`, account)).toContain(short);
    const next = await linkOf(`/v1/keys?${filters}&limit=1`, account);
    expect(next).toMatch(/^\/v1\/keys\?limit=1&cursor=[\w-]+$/);
    expect(errorOf(await account.client.get(next), 400).paths).toEqual(['cursor']);
    const { body } = await account.client.get<{ data: Named[] }>(`${next}&${filters}`);
    expect(body.data).toHaveLength(1);
  });

  it.each(LISTS)('of %s are as long as asked for, and the last one has no link', async (path) => {
    const answers = ['?limit=7', '?limit=100', '?offset=6', '?offset=7'].map((query) =>
      full.client.get(path + query),
    );
    for (const { headers } of await Promise.all(answers)) expect(headers.has('link')).toBe(false);
    const next = await linkOf(`${path}?limit=3`);
    const longer = await full.client.get<{ data: Named[]; total_count: number }>(
      next.replace('limit=3', 'limit=4'),
    );
    expect(longer.body.data).toHaveLength(4);
    expect(Object.keys(longer.body)).toEqual(['data', 'total_count']);
    expect(longer.body.total_count).toBe(7);
    expect(longer.headers.has('link')).toBe(false);
    expect(longer.headers.has('x-log-position')).toBe(true);
  });

  it('of keys skip and repeat nothing while keys are disabled, deleted, moved and created', async () => {
    const account = await service.openAccount('individual');
    const workspace_id = await makeWorkspace(service, account);
    const made: string[] = [];
    for (let number = 0; number < 12; number += 1)
      made.unshift((await createKey(account.client)).data.hash);
    const change = (index: number, body: object) =>
      account.client.patch(`/v1/keys/${made[index]}`, body);
    const seen: string[] = [];
    for await (const page of linkedPages<Named>(account.client, '/v1/keys?limit=3')) {
      seen.push(...page.map(nameOf));
      if (seen.length !== 3) continue;
      await change(0, { disabled: true });
      await account.client.delete(`/v1/keys/${made[1]}`);
      // The record at the cursor.
      await account.client.delete(`/v1/keys/${made[2]}`);
      await change(4, { disabled: true });
      await change(5, { workspace_id });
      await createKey(account.client);
    }
    expect(seen).toEqual(made.filter((_, index) => index !== 4 && index !== 5));
  });

  it('of end users skip and repeat nothing while some are deactivated and registered', async () => {
    const account = await service.openAccount();
    for (const user of 'abcdefgh') await account.client.post('/v1/end-users', { user });
    for (const [query, expected] of [
      ['limit=2', 'abdfgh'],
      ['limit=2&include_inactive=true', 'abcdefgh'],
    ] as const) {
      let seen = '';
      for await (const page of linkedPages<Named>(account.client, `/v1/end-users?${query}`)) {
        seen += page.map(nameOf).join('');
        for (const user of 'bce') await account.client.delete(`/v1/end-users/${user}`);
      }
      expect(seen).toBe(expected);
      for (const user of 'bc')
        await account.client.patch(`/v1/end-users/${user}`, { is_active: true });
      await account.client.delete('/v1/end-users/c');
    }
    const last: string[] = [];
    for await (const page of linkedPages<Named>(account.client, '/v1/end-users?limit=5')) {
      last.push(...page.map(nameOf));
      await account.client.post('/v1/end-users', { user: 'i' });
    }
    expect(last.join('')).toBe('abdfghi');
  });

  it('of workspaces skip and repeat nothing while some are deleted and created', async () => {
    const account = await service.openAccount();
    const made = [account.defaultWorkspaceId];
    for (let number = 0; number < 6; number += 1) made.push(await makeWorkspace(service, account));
    const seen: string[] = [];
    for await (const page of linkedPages<Named>(account.client, '/v1/workspaces?limit=2')) {
      seen.push(...page.map(nameOf));
      if (seen.length !== 2) continue;
      for (const index of [1, 3]) await account.client.delete(`/v1/workspaces/${made[index]}`);
      made.push(await makeWorkspace(service, account));
    }
    expect(seen).toEqual(made.filter((_, index) => index !== 3));
  });

  it.each(LISTS)('of %s take no cursor that is not one of theirs', async (path) => {
    const own = await cursorOf(`${path}?limit=2`);
    const other = await service.openAccount();
    await createKey(other.client);
    await createKey(other.client);
    for (const user of ['a', 'b']) await other.client.post('/v1/end-users', { user });
    await makeWorkspace(service, other);
    const filter =
      path === '/v1/workspaces' ? 'offset=0' : 'include_disabled=true&include_inactive=true';
    const elsewhere = path === '/v1/keys' ? '/v1/workspaces' : '/v1/keys';
    const opened = Buffer.from(own, 'base64url');
    opened.writeUInt8(opened.readUInt8(0) ^ 1, 0);
    const tampered = opened.toString('base64url');
    opened.writeUInt8(opened.readUInt8(0) ^ 1, 0);
    opened.writeUInt8(opened.readUInt8(16) ^ 1, 16);
    for (const query of [
      `cursor=${await cursorOf(`${elsewhere}?limit=2`)}`,
      `cursor=${await cursorOf(`${path}?limit=1`, other)}`,
      `${filter}&cursor=${own}`,
      `cursor=${tampered}`,
      `cursor=${opened.toString('base64url')}`,
      `cursor=${own}A`,
      `cursor=${own.slice(0, -1)}`,
      `cursor=${own}=`,
      `cursor=${own}&cursor=${own}`,
      `offset=2&cursor=${own}`,
      'cursor=',
      'cursor=1',
      'cursor=%ff',
      `cursor=${'A'.repeat(513)}`,
    ]) {
      const refused = errorOf(await full.client.get(`${path}?${query}`), 400);
      expect({ query, paths: refused.paths }).toEqual({ query, paths: ['cursor'] });
    }
    expect((await full.client.get(`${path}?cursor=${own}`)).status).toBe(200);
  });

  it('are the same for both names of end users', async () => {
    const next = await linkOf('/v1/external-users?limit=3');
    expect(next).toMatch(/^\/v1\/external-users\?/);
    const path = next.replace('external-users', 'end-users');
    expect((await full.client.get<{ data: Named[] }>(path)).body.data.map(nameOf)).toEqual([
      'user-3',
      'user-4',
      'user-5',
    ]);
  });
});
