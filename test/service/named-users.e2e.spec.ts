import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Question, Verifier } from '../../src/features/verification/verifier.js';
import { type CreatedKey, createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { accountOf, runningApp } from '../support/harness/running-app.js';

const service = runningApp();
const account = accountOf(service);

const LONGEST = '\u{1F600}'.repeat(512);

describe('the end user whom a question names', () => {
  let created: CreatedKey;

  beforeAll(async () => {
    created = await createKey(account.client);
  });

  /** Gives the users whom the verifier was asked about while a task ran. */
  async function usersIn(task: () => Promise<unknown>): Promise<Question['user'][]> {
    const asked = jest.spyOn(service.app.get(Verifier), 'verify');
    await task();
    const users = asked.mock.calls.map(([{ user }]) => user);
    asked.mockRestore();
    return users;
  }

  async function authorize(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    const own = { 'Keyledger-Authorization': `Bearer ${account.managementKey}` };
    const client = service.client.as(created.key);
    return client.get(`/v1/authorize${path}`, { headers: { ...own, ...headers } });
  }

  /** Sends headers that no HTTP client sends. */
  function authorizeRaw(
    path: string,
    users: readonly string[],
    encoding: BufferEncoding = 'utf8',
  ): Promise<Answer> {
    const lines = [
      `GET /v1/authorize${path} HTTP/1.1`,
      ...['Host: a', 'Connection: close', `Authorization: Bearer ${created.key}`],
      `Keyledger-Authorization: Bearer ${account.managementKey}`,
      ...users.map((user) => `Keyledger-End-User: ${user}`),
    ];
    const text = `${lines.join('\r\n')}\r\n\r\n`;
    return sendRaw(service.address, Buffer.from(text, encoding));
  }

  const GIVEN = [
    ['', undefined],
    ['a+b', 'a+b'],
    ['a%2Bb%20c', 'a+b c'],
    ['100%2525', '100%25'],
    ['%C3%9Crsula', 'Ürsula'],
    [encodeURIComponent(LONGEST), LONGEST],
    ['a,b', 'a,b'],
    ['a=b;c?d/e', 'a=b;c?d/e'],
  ] as const;

  it.each(GIVEN)('is %j decoded once, in the query and in the header', async (text, user) => {
    const headers = { 'Keyledger-End-User': text };
    const asked = await usersIn(async () => {
      expect(await authorize(`?user=${text}`)).toMatchObject({ status: 200 });
      expect(await authorize('/?user=x', headers)).toMatchObject({ status: 200 });
    });
    expect(asked).toEqual([user, user]);
  });

  it('may be in plain UTF-8, as nginx sends it', async () => {
    const asked = await usersIn(async () => {
      expect(await authorizeRaw('/', ['Ürsula'])).toMatchObject({ status: 200 });
    });
    expect(asked).toEqual(['Ürsula']);
  });

  const WRONG = ['%ff', '%', '%zz', '%C3', '%20a', 'a%20', '%00', '%ED%A0%80', 'a'.repeat(513)];

  it.each(WRONG)('is never %j', async (text) => {
    const headers = { 'Keyledger-End-User': text };
    const asked = await usersIn(async () => {
      expect(errorOf(await authorize(`?user=${text}`), 400).paths).toEqual(['user']);
      const below = errorOf(await authorize('/', headers), 400);
      expect(below.paths).toEqual(['Keyledger-End-User']);
    });
    expect(asked).toEqual([]);
  });

  it('is never in bytes that are not UTF-8, and never given twice, however', async () => {
    const asked = await usersIn(async () => {
      for (const users of [['Ü'], ['a', 'a'], ['', 'a'], ['a', ''], ['', '']])
        expect(errorOf(await authorizeRaw('/', users, 'latin1'), 400).paths).toHaveLength(1);
      for (const query of ['user=a&user=a', 'user=&user=a', 'user=&user=', 'user=a&us%65r=b'])
        expect(errorOf(await authorize(`?${query}`), 400).paths).toEqual(['user']);
    });
    expect(asked).toEqual([]);
  });

  it('is in the query alone at exactly the path of gateways, and in the header alone below', async () => {
    const asked = await usersIn(async () => {
      for (const header of ['a', '%ff']) {
        const headers = { 'Keyledger-End-User': header };
        expect(await authorize('', headers)).toMatchObject({ status: 200 });
        expect(await authorize('?user=b', headers)).toMatchObject({ status: 200 });
        expect(await authorize('/?user=%ff&user=b')).toMatchObject({ status: 200 });
      }
      expect(await authorizeRaw('', ['a', 'b'])).toMatchObject({ status: 200 });
    });
    const none = undefined;
    expect(asked).toEqual([none, 'b', none, none, 'b', none, none]);
  });

  it('is optional in a verification, and in an introspection there is none', async () => {
    const { key } = created;
    const verify = (user?: string | null) =>
      account.client.post('/v1/keys/verify', { key, ...(user !== undefined && { user }) });
    const asked = await usersIn(async () => {
      for (const user of [undefined, null, 'a+b', LONGEST])
        expect(await verify(user)).toMatchObject({ status: 200 });
      const form = Buffer.from(`token=${key}&user=a`);
      expect(await account.client.post('/v1/oauth/introspect', form)).toMatchObject({
        status: 200,
        body: { active: true },
      });
    });
    expect(asked).toEqual([undefined, undefined, 'a+b', LONGEST, undefined]);
  });
});
