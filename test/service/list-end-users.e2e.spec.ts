import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EndUserRecord } from '../../src/features/end-users/end-user.fields.js';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import { BROKEN_ENCODINGS } from '../support/harness/forms.js';
import type { Answer } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import { accountOf, accountOfEach, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { NO_TRACKING_STRINGS } from '../support/harness/tracking-strings.js';

const service = runningApp();

type Page = Answer<{ readonly data: EndUserRecord[]; readonly total_count: number }>;

const USERS = Array.from({ length: 120 }, (_, index) => `user-${120 - index}`);
const PLAIN_INTEGERS = ['', 'x', '1.0', '1e1', '-1', '+1', '%2B1', '0x1', '1_0', '1,0', 'NaN', '٣'];

const embedded = onlyOn('embedded', 'queries are read before a backend is asked');

describe('listing end users', () => {
  /** An organization with USERS, registered in this order. */
  const full = accountOf(service);

  beforeAll(async () => {
    for (const user of USERS) await full.client.post('/v1/end-users', { user });
  });

  function list(query = '', account = full): Promise<Page> {
    return account.client.get(`/v1/end-users${query}`);
  }

  async function expectPage(query: string, users: readonly string[], total: number): Promise<void> {
    const { status, body } = await list(query);
    expect(status).toBe(200);
    expect(body.data.map(({ user }) => user)).toEqual(users);
    expect(body.total_count).toBe(total);
  }

  it('answers with records of the interface’s fields, a count, and nothing else', async () => {
    const { status, headers, body } = await list('?limit=1');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(body).sort()).toEqual(['data', 'total_count']);
    const fields = body.data.map((record) => Object.keys(record).sort());
    expect(fields).toEqual([['created_at', 'is_active', 'updated_at', 'user']]);
  });

  it('gives 50 in order of registration, oldest first, by default', () =>
    expectPage('', USERS.slice(0, 50), 120));

  it.each([
    ['?limit=100', 0, 100],
    ['?limit=1', 0, 1],
    ['?limit=007', 0, 7],
    ['?offset=0&limit=3', 0, 3],
    ['?offset=10', 10, 60],
    ['?limit=5&offset=98', 98, 103],
    ['?offset=100&limit=100', 100, 120],
    ['?offset=119', 119, 120],
    ['?offset=120', 120, 120],
    ['?offset=121&limit=1', 120, 120],
    ['?offset=9007199254740993', 120, 120],
    [`?offset=${'9'.repeat(400)}&limit=100`, 120, 120],
    ['?%6Fffset=118', 118, 120],
  ])('gives to %s records %i up to %i and the count of all', (query, from, to) =>
    expectPage(query, USERS.slice(from, to), 120),
  );

  it('gives an organization without end users an empty page', async () => {
    const { body } = await list('', await service.openAccount());
    expect(body).toEqual({ data: [], total_count: 0 });
  });

  it('shows no organization the end users of another', async () => {
    const other = await service.openAccount();
    await other.client.post('/v1/end-users', { user: 'theirs' });
    expect((await list('', other)).body).toMatchObject({ data: [{ user: 'theirs' }] });
    await expectPage('?user=theirs', [], 0);
    await expectPage('?limit=1', USERS.slice(0, 1), 120);
    expect((await list('?user=user-1', other)).body).toEqual({ data: [], total_count: 0 });
  });

  it.each([
    ['?user=user-7', ['user-7'], 1],
    ['?user=User-7', [], 0],
    ['?user=user-', [], 0],
    ['?user=user-%25', [], 0],
    ['?user=nobody', [], 0],
    ['?user=user-7&limit=1&offset=0', ['user-7'], 1],
    ['?user=user-7&offset=1', [], 1],
    ['?user=user-7&include_inactive=true', ['user-7'], 1],
  ])('finds by exact tracking string: %s', expectPage);

  it('reads plus and percent-encoding as forms have it', async () => {
    const account = await service.openAccount();
    for (const user of ['a b', 'a+b', 'é/ü', '.']) {
      await account.client.post('/v1/end-users', { user });
    }
    const found = async (encoded: string): Promise<unknown> =>
      (await list(`?user=${encoded}`, account)).body.data.map(({ user }) => user);
    expect(await found('a+b')).toEqual(['a b']);
    expect(await found('a%20b')).toEqual(['a b']);
    expect(await found('a%2Bb')).toEqual(['a+b']);
    expect(await found('%C3%A9%2f%c3%bc')).toEqual(['é/ü']);
    expect(await found('.')).toEqual(['.']);
  });

  it.each(['true', 'false'])('takes %s for include_inactive', (value) =>
    expectPage(`?include_inactive=${value}&limit=2`, USERS.slice(0, 2), 120),
  );

  it.each(['?&&', '?'])('takes a query without a parameter: %s', (query) =>
    expectPage(query, USERS.slice(0, 50), 120),
  );

  embedded.it.each([
    ...PLAIN_INTEGERS.map((value) => [`offset=${value}`, 'offset']),
    ...PLAIN_INTEGERS.map((value) => [`limit=${value}`, 'limit']),
    ...['%201', '1%20', '+1', '1+', '%091', '1%00'].map((value) => [`limit=${value}`, 'limit']),
    ...['%200', '0+', '0%0A'].map((value) => [`offset=${value}`, 'offset']),
    ...['0', '101', '1000', '9'.repeat(400)].map((value) => [`limit=${value}`, 'limit']),
    ...['', '1', '0', 'True', 'TRUE', 'yes', 'true%20'].map((value) => [
      `include_inactive=${value}`,
      'include_inactive',
    ]),
    ...['limit', 'offset', 'include_inactive', 'user'].map((name) => [name, name]),
    ['limit=5&limit=5', 'limit'],
    ['limit=5&%6Cimit=5', 'limit'],
    ['offset=0&offset=0', 'offset'],
    ['user=a&user=a', 'user'],
    ['colour=red', 'colour'],
    ['Limit=1', 'Limit'],
    ['limit[]=5', 'limit[]'],
    ['a=1&a=2', 'a'],
    ['__proto__=1', '__proto__'],
    ['=', ''],
    ['%zz=1', ''],
    [`${mintKeyString('sk-v1-')}=1`, ''],
    ['include_inactive=true&limit=1&include_inactive=true', 'include_inactive'],
  ])('refuses %s', async (query, parameter) => {
    const before = await stateOf(service);
    expectInvalid(await list(`?${query}`), full, parameter);
    expect(await stateOf(service)).toEqual(before);
  });

  embedded.it.each(NO_TRACKING_STRINGS)('refuses as a filter a string with %s', async (_, user) => {
    const answer = await list(`?user=${encodeURIComponent(user)}`);
    expect(errorOf(answer, 400).paths).toEqual(['user']);
  });

  embedded.it.each(BROKEN_ENCODINGS)(
    'refuses the percent-encoding %s in a value that it knows, with all else that is wrong',
    async (encoded) => {
      const wrong = await list(`?user=${encoded}&limit=0`);
      expect(errorOf(wrong, 400).paths).toEqual(['limit', 'user']);
      expect(errorOf(await list(`?user=a&user=${encoded}`), 400).paths).toEqual(['user']);
    },
  );

  it('names every offending parameter at once', async () => {
    const answer = await list('?offset=-1&limit=0&user=&include_inactive=1');
    const paths = ['include_inactive', 'limit', 'offset', 'user'];
    expect(errorOf(answer, 400).paths).toEqual(paths);
  });

  it('answers 404 to an individual account, after the shape', async () => {
    const individual = await service.openAccount('individual');
    expect(errorOf(await list('', individual), 404).userId).toBe(individual.userId);
    expect(errorOf(await list('?limit=0', individual), 400).paths).toEqual(['limit']);
  });

  describe('after a write', () => {
    const account = accountOfEach(service);

    it('sees it at once, in the page, the count and the filter', async () => {
      for (let count = 1; count <= 100; count += 1) {
        const user = `user ${count}`;
        await account.client.post('/v1/end-users', { user });
        const query = count % 2 ? `?offset=${count - 1}` : `?user=user+${count}`;
        const { body } = await list(query, account);
        expect(body.data.map((record) => record.user)).toEqual([user]);
        expect(body.total_count).toBe(count % 2 ? count : 1);
      }
    });

    it('gives pages and counts of one point of the log while registrations arrive', async () => {
      const writing = { left: 150 };
      const all = Array.from({ length: writing.left }, async (_, index) => {
        await account.client
          .post('/v1/end-users', { user: `user ${index}` })
          .finally(() => (writing.left -= 1));
      });
      const pages: Page[] = [];
      while (writing.left > 0) pages.push(await list('?limit=100', account));
      await Promise.all(all);
      for (const { body } of pages) {
        expect(body.data).toHaveLength(Math.min(100, body.total_count));
      }
      const last = (await list('?limit=100', account)).body;
      expect(last.total_count).toBe(150);
      // The end users of an earlier page keep their places.
      for (const { body } of pages) expect(last.data.slice(0, body.data.length)).toEqual(body.data);
    });
  });
});
