import { beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyRecord } from '../../src/features/keys/key-record.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import { accountOf, runningApp, type TestAccount } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

const service = runningApp();

type Page = Answer<{ readonly data: KeyRecord[]; readonly total_count: number }>;

const COUNT = 105;
const PLAIN_INTEGERS = ['', 'x', '1.0', '1e1', '-1', '+1', '%2B1', '0x1', 'NaN', '٣', '%201'];

const embedded = onlyOn('embedded', 'queries are read before a backend is asked');

describe('listing keys', () => {
  /** An account with COUNT keys in its default workspace. */
  const full = accountOf(service);
  /** The hashes of these keys, the newest first. */
  let hashes: string[];

  beforeAll(async () => {
    hashes = [];
    for (let count = 0; count < COUNT; count += 1) {
      hashes.unshift((await createKey(full.client)).data.hash);
    }
  });

  function list(query = '', { client } = full): Promise<Page> {
    return client.get(`/v1/keys${query}`);
  }

  async function expectPage(
    query: string,
    expected: readonly string[],
    total: number,
    account = full,
  ): Promise<void> {
    const { status, body } = await list(query, account);
    expect(status).toBe(200);
    expect(body.data.map(({ hash }) => hash)).toEqual(expected);
    expect(body.total_count).toBe(total);
  }

  it('answers with the records of the keys, a count, and nothing else', async () => {
    const account = await service.openAccount();
    const { data } = await createKey(account.client, { limit: 2, external: { user: 'ada' } });
    const answer = await list('', account);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: [{ ...data, external_user: { user: 'ada' } }],
      total_count: 1,
    });
  });

  it.each([
    ['with the first page, until it is empty', '', 0],
    ['with disabled keys listed, page by page', '&include_disabled=true', 2],
  ])('lets every key be disabled %s', async (_, query, step) => {
    const account = await service.openAccount();
    for (let count = 0; count < 5; count += 1) await createKey(account.client);
    for (let offset = 0; ; offset += step) {
      const { data } = (await list(`?limit=2&offset=${offset}${query}`, account)).body;
      if (data.length === 0) break;
      for (const { hash } of data) {
        await account.client.patch(`/v1/keys/${hash}`, { disabled: true });
      }
    }
    await expectPage('', [], 0, account);
    expect((await list('?include_disabled=true', account)).body.total_count).toBe(5);
  });

  it('gives 100 by default, the newest first', () => expectPage('', hashes.slice(0, 100), COUNT));

  it.each([
    ['?limit=1', 0, 1],
    ['?limit=100', 0, 100],
    ['?limit=007&offset=00', 0, 7],
    ['?offset=5', 5, COUNT],
    ['?offset=98&limit=5', 98, 103],
    ['?offset=104', 104, COUNT],
    ['?offset=105', COUNT, COUNT],
    ['?offset=9007199254740993', COUNT, COUNT],
    [`?offset=${'9'.repeat(400)}&limit=100`, COUNT, COUNT],
    ['?include_disabled=false&limit=2', 0, 2],
    ['?include_disabled=true&limit=2', 0, 2],
    ['?workspace_id=all&limit=2', 0, 2],
  ])('gives to %s records %i up to %i and the count of all', (query, from, to) =>
    expectPage(query, hashes.slice(from, to), COUNT),
  );

  it('shows no account the keys of another', async () => {
    const other = await service.openAccount('individual');
    for (const query of ['', '?workspace_id=all', '?include_disabled=true']) {
      expect((await list(query, other)).body).toEqual({ data: [], total_count: 0 });
    }
    const { data } = await createKey(other.client);
    await expectPage('', [data.hash], 1, other);
    await expectPage('?limit=1', hashes.slice(0, 1), COUNT);
  });

  it('lists expired keys', async () => {
    const account = await service.openAccount();
    const { data } = await createKey(account.client, { expires_at: '2001-01-01T00:00:00Z' });
    await expectPage('', [data.hash], 1, account);
  });

  it('lists by workspace, where a moved key keeps its place in the order of creation', async () => {
    const account = await service.openAccount('individual');
    const workspace_id = await makeWorkspace(service, account);
    const home = await createKey(account.client);
    const moved = await createKey(account.client);
    const away = await createKey(account.client, { workspace_id });
    const hashesOf = (...keys: readonly { data: KeyRecord }[]): string[] =>
      keys.map(({ data }) => data.hash);
    await expectPage('', hashesOf(moved, home), 2, account);
    await account.client.patch(`/v1/keys/${moved.data.hash}`, { workspace_id });
    await expectPage('', hashesOf(home), 1, account);
    await expectPage(`?workspace_id=${workspace_id}`, hashesOf(away, moved), 2, account);
    await expectPage(`?workspace_id=${account.defaultWorkspaceId}`, hashesOf(home), 1, account);
    await expectPage('?workspace_id=all', hashesOf(away, moved, home), 3, account);
    await expectPage('?workspace_id=all&offset=1&limit=1', hashesOf(moved), 3, account);
  });

  it('answers 400 to a workspace that is none of the account', async () => {
    const other = await service.openAccount();
    for (const workspace of [other.defaultWorkspaceId, 'none', 'ALL', '💶'.repeat(64)]) {
      const { message, paths } = errorOf(await list(`?workspace_id=${workspace}`), 400);
      expect({ message, paths }).toEqual({
        message: 'Unknown workspace',
        paths: ['workspace_id'],
      });
    }
  });

  embedded.it.each([
    ...PLAIN_INTEGERS.map((value) => [`offset=${value}`, 'offset']),
    ...PLAIN_INTEGERS.map((value) => [`limit=${value}`, 'limit']),
    ...['0', '101', '9'.repeat(400)].map((value) => [`limit=${value}`, 'limit']),
    ...['', '1', '0', 'True', 'yes', 'true%20'].map((value) => [
      `include_disabled=${value}`,
      'include_disabled',
    ]),
    ...['', '%00', 'a'.repeat(65)].map((value) => [`workspace_id=${value}`, 'workspace_id']),
    ...['limit', 'offset', 'include_disabled', 'workspace_id'].map((name) => [name, name]),
    ['limit=5&limit=5', 'limit'],
    ['offset=0&offset=0', 'offset'],
    ['include_disabled=true&include_disabled=true', 'include_disabled'],
    ['workspace_id=all&workspace_id=all', 'workspace_id'],
    ['workspace_id=%ff', 'workspace_id'],
    ...['creator_user_id', 'external_user'].flatMap((name) => [
      [name, name],
      [`${name}=`, name],
      [`${name}=%00`, name],
      [`${name}=%ff`, name],
      [`${name}=${'a'.repeat(513)}`, name],
      [`${name}=a&${name}=a`, name],
    ]),
    ['external_user=%20a', 'external_user'],
    ['creator_user_id=a&external_user=b', 'creator_user_id'],
    ['creator_user_id=a&expires_before=2027-01-01T00:00:00Z', 'expires_before'],
    ['external_user=a&expires_before=2027-01-01T00:00:00Z', 'expires_before'],
    ['expires_after=2027-01-01T00:00:00Z', 'expires_after'],
    ...['', 'x', '2027-01-01', '2027-01-01T00:00Z', '2027-02-30T00:00:00Z'].flatMap((time) => [
      [`expires_before=${time}`, 'expires_before'],
      [`expires_before=2027-01-01T00:00:00Z&expires_after=${time}`, 'expires_after'],
    ]),
    ['name=a', 'name'],
    ['cursor=a', 'cursor'],
  ])('refuses %s', async (query, parameter) => {
    const before = await stateOf(service);
    expectInvalid(await list(`?${query}`), full, parameter);
    expect(await stateOf(service)).toEqual(before);
  });

  it('names every offending parameter at once', async () => {
    const answer = await list('?offset=-1&limit=0&workspace_id=&include_disabled=1');
    const paths = ['include_disabled', 'limit', 'offset', 'workspace_id'];
    expect(errorOf(answer, 400).paths).toEqual(paths);
  });
});

describe('a search for keys finds them', () => {
  async function expectPage(
    query: string,
    hashes: readonly string[],
    { client }: TestAccount,
  ): Promise<void> {
    const { status, body } = await client.get<{ data: KeyRecord[]; total_count: number }>(
      `/v1/keys${query}`,
    );
    expect(status).toBe(200);
    expect(body.data.map(({ hash }) => hash)).toEqual(hashes);
    expect(body.total_count).toBe(hashes.length);
  }

  const account = accountOf(service, 'individual');
  let workspace_id: string;
  /** Hashes of the keys by the order of their creation. */
  const made: string[] = [];

  beforeAll(async () => {
    workspace_id = await makeWorkspace(service, account);
    for (const fields of [
      { creator_user_id: 'a/b' },
      { creator_user_id: 'a/b', workspace_id },
      { creator_user_id: 'A/b', external: { user: 'a/b' } },
      { creator_user_id: 'a/b ', external: { user: 'a/b' }, workspace_id },
      { creator_user_id: '💶'.repeat(512), external: { user: 'e\u0301' } },
      { creator_user_id: 'a/b', external: { user: '\u00e9' } },
    ]) {
      made.push((await createKey(account.client, fields)).data.hash);
    }
    await account.client.patch(`/v1/keys/${made[5]}`, { disabled: true });
  });

  const found = (query: string, ...indexes: readonly number[]): Promise<void> =>
    expectPage(
      `?${query}`,
      indexes.map((index) => made[index] ?? ''),
      account,
    );

  it.each([
    ['creator_user_id=a%2fb', [1, 0]],
    ['creator_user_id=a%2fb&include_disabled=true', [5, 1, 0]],
    ['creator_user_id=a%2Fb+', [3]],
    ['creator_user_id=b', []],
    ['creator_user_id=A/b', [2]],
    [`creator_user_id=${encodeURIComponent('💶'.repeat(512))}`, [4]],
    ['external_user=a/b', [3, 2]],
    [`external_user=${encodeURIComponent('\u00e9')}&include_disabled=true`, [5]],
    [`external_user=${encodeURIComponent('e\u0301')}`, [4]],
    ['creator_user_id=a/b&workspace_id=all', [1, 0]],
  ])('in every workspace with exactly what %s says', (query, indexes) => found(query, ...indexes));

  it('in one workspace, when that is given too', async () => {
    await found(`creator_user_id=a/b&workspace_id=${workspace_id}`, 1);
    await found(`creator_user_id=a/b&workspace_id=${account.defaultWorkspaceId}`, 0);
    await found(`external_user=a/b&workspace_id=${workspace_id}`, 3);
    const unknown = await account.client.get('/v1/keys?creator_user_id=a/b&workspace_id=none');
    expect(errorOf(unknown, 400).message).toBe('Unknown workspace');
  });

  it('in their own account alone', async () =>
    expectPage('?creator_user_id=a/b&include_disabled=true', [], await service.openAccount()));

  it('as they are now: moved, disabled, enabled, deleted, and where a workspace was deleted', async () => {
    const one = await service.openAccount('individual');
    const there = await makeWorkspace(service, one);
    const fields = { creator_user_id: 'ada', external: { user: 'u' }, workspace_id: there };
    const { hash } = (await createKey(one.client, fields)).data;
    const at = async (more: string, isFound: boolean): Promise<void> => {
      for (const filter of ['creator_user_id=ada', 'external_user=u'])
        await expectPage(`?${filter}${more}`, isFound ? [hash] : [], one);
    };
    const path = `/v1/keys/${hash}`;
    await at('', true);
    await at(`&workspace_id=${there}`, true);
    await one.client.patch(path, { workspace_id: one.defaultWorkspaceId });
    await at(`&workspace_id=${there}`, false);
    await one.client.delete(`/v1/workspaces/${there}`);
    await at('', true);
    await one.client.patch(path, { disabled: true });
    await at('', false);
    await at('&include_disabled=true', true);
    await one.client.patch(path, { disabled: false });
    await at('', true);
    await one.client.delete(path);
    await at('&include_disabled=true', false);
  });
});
