import { describe, expect, it } from '@jest/globals';
import type { EndUserRecord } from '../../src/features/end-users/end-user.fields.js';
import { type OneEndUser, pathOf, register } from '../support/harness/end-users.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import { TIME } from '../support/harness/forms.js';
import type { Answer } from '../support/harness/http-client.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { accountOf, accountOfEach, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { NO_TRACKING_STRINGS, TRACKING_STRINGS } from '../support/harness/tracking-strings.js';

const service = runningApp();

const TAKEN = 'The tracking ID is already registered in this organization';

describe('registering an end user', () => {
  const account = accountOfEach(service);

  function register(body: unknown): Promise<Answer<{ data: EndUserRecord }>> {
    return account.client.post('/v1/end-users', body);
  }

  async function expectRefused(body: unknown, ...paths: string[]): Promise<void> {
    const before = await stateOf(service);
    expectInvalid(await register(body), account, ...paths);
    expect(await stateOf(service)).toEqual(before);
  }

  it('answers 201 with a record of exactly the fields of the interface', async () => {
    const before = Date.now();
    const answer = await register({ user: 'ada' });
    expect(answer.status).toBe(201);
    const { created_at } = answer.body.data;
    expect(answer.body).toEqual({
      data: { user: 'ada', is_active: true, created_at, updated_at: created_at },
    });
    expect(created_at).toMatch(TIME);
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now());
  });

  it.each(TRACKING_STRINGS)('takes %s, gives it back as it was and finds it', async (_, user) => {
    const answer = await register({ user });
    expect(answer).toMatchObject({ status: 201, body: { data: { user } } });
    const found = await account.client.get(`/v1/end-users?user=${encodeURIComponent(user)}`);
    expect(found).toMatchObject({
      status: 200,
      body: { data: [answer.body.data], total_count: 1 },
    });
  });

  it.each(NO_TRACKING_STRINGS)('refuses a string with %s', (_, user) =>
    expectRefused({ user }, 'user'),
  );

  it.each([undefined, null, 5, true, {}, [], ['ada']])('refuses %p for a string', (user) =>
    expectRefused({ user }, 'user'),
  );

  it.each(['\\ud800', '\\udfff', 'a\\ud83d', '\\ude00\\ud83d', '\\ud83dx\\ude00'])(
    'refuses the lone surrogate in %s',
    (user) => expectRefused(`{"user":"${user}"}`, 'user'),
  );

  it('takes a surrogate pair in escapes for the character that it is', async () => {
    const answer = await register('{"user":"\\ud83d\\ude00"}');
    expect(answer).toMatchObject({ status: 201, body: { data: { user: '\u{1F600}' } } });
  });

  it.each([
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a cut-off character', [0xf0, 0x9f, 0x94]],
    ['a byte that is never UTF-8', [0xff]],
  ])('refuses %s in the bytes of the body', (_, bytes) => {
    const body = Buffer.concat([Buffer.from('{"user":"a'), Buffer.from(bytes), Buffer.from('"}')]);
    return expectRefused(body, '');
  });

  it('refuses unknown fields, each by its name, also beside a wrong user', async () => {
    await expectRefused({ user: 'ada', email: 'ada@example.com' }, 'email');
    await expectRefused({ user: '', email: 1, is_active: true }, 'email', 'is_active', 'user');
    await expectRefused('{"user":"ada","__proto__":{"user":"b"}}', '__proto__');
    await expectRefused('{"__proto__":{"user":"ada"}}', '__proto__', 'user');
    await expectRefused('{"user":"ada","constructor":{}}', 'constructor');
    await expectRefused('{"user":"ada","toString":1}', 'toString');
    await expectRefused({ user: 'ada', User: 'ada' }, 'User');
  });

  it('takes strings that differ in one code point for different end users', async () => {
    const alike = [
      'Alice',
      'alice',
      'ALICE',
      'alice ́',
      'a\u0301',
      '\u00E1',
      'ſ',
      's',
      'K',
      '\u212A',
    ];
    for (const user of alike) expect(await register({ user })).toMatchObject({ status: 201 });
    const listed = await account.client.get('/v1/end-users');
    expect(listed).toMatchObject({
      body: { data: alike.map((user) => ({ user })), total_count: alike.length },
    });
  });

  it('lets two organizations have the same end user, each its own', async () => {
    const other = await service.openAccount();
    expect(await register({ user: 'ada' })).toMatchObject({ status: 201 });
    const theirs = await other.client.post('/v1/end-users', { user: 'ada' });
    expect(theirs).toMatchObject({ status: 201 });
    expect(await other.client.get('/v1/end-users')).toMatchObject({ body: { total_count: 1 } });
  });

  it('gives exactly one of 200 concurrent registrations of one string 201 and the others 409', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => register({ user: 'ada' })));
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(1);
    for (const answer of answers) {
      if (answer !== created[0]) expect(errorOf(answer, 409).message).toBe(TAKEN);
    }
    expect(await account.client.get('/v1/end-users')).toMatchObject({
      body: { data: [created[0]?.body.data], total_count: 1 },
    });
  });

  it('answers 404 to an individual account, after the shape and before anything else', async () => {
    const { client, userId } = await service.openAccount('individual');
    const before = await stateOf(service);
    const refused = errorOf(await client.post('/v1/end-users', { user: 'ada' }), 404);
    expect(refused.userId).toBe(userId);
    expect(errorOf(await client.post('/v1/end-users', { user: '' }), 400).paths).toEqual(['user']);
    errorOf(await client.post('/v1/end-users', '{'), 400);
    expect(await stateOf(service)).toEqual(before);
  });
});

const METHODS = ['GET', 'PATCH', 'DELETE'] as const;
const DOTS = ['.', '..'];
const ADDRESSABLE = TRACKING_STRINGS.filter(([, user]) => !DOTS.includes(user));

/** Tracking strings that look like routes or like parts of a path. */
const LIKE_ROUTES = [
  ...['health', 'keys', 'v1/keys', '/v1/end-users', 'health/live', 'openapi.json', 'end-users'],
  ...[
    '...',
    '.hidden',
    './a',
    '../keys',
    'a/../b',
    'a/',
    '/a',
    '//',
    'a//b',
    ':user',
    '*',
    '{user}',
  ],
  ...['%', '%2F', '%252F', '%zz', '+', 'a+b', 'a b', '?', '#', '?a=b', '#a', 'a;b=c', '~', '\\'],
];

/** Paths as sent, with the tracking string of each. */
const SPELLINGS: readonly (readonly [string, string])[] = [
  ['a%2Fb', 'a/b'],
  ['a%2fb', 'a/b'],
  ['%61%62c', 'abc'],
  ['a+b', 'a+b'],
  ['a%2Bb', 'a+b'],
  ['a%20b', 'a b'],
  ['100%25', '100%'],
  ['%252F', '%2F'],
  ['%25252F', '%252F'],
  ['%C3%A9', 'é'],
  ['%c3%A9', 'é'],
  ['e%CC%81', 'e\u0301'],
  ['%F0%9F%94%91', '\u{1F511}'],
  ['%f0%9f%94%91', '\u{1F511}'],
  ["!$&'()*,;=:@", "!$&'()*,;=:@"],
  ['%21%24%26%27%28%29%2A%2C%3B%3D%3A%40', "!$&'()*,;=:@"],
  ['-._~', '-._~'],
  ['%2D%2E%5F%7E', '-._~'],
  ['a%3Fb%23c', 'a?b#c'],
  ['%2e%2e%2e', '...'],
  ['..%2Fkeys', '../keys'],
  ['%2e%2e%2fkeys', '../keys'],
  ['trailing/', 'trailing'],
  ['trailing%2F', 'trailing/'],
  ['asked?x=/y&user=z', 'asked'],
  ['%01%7F', '\u0001\u007F'],
  ['%EF%BF%BF', '\uFFFF'],
];

describe('one end user, by path', () => {
  const account = accountOf(service);

  const read = (path: string, by = account): Promise<Answer<OneEndUser>> => by.client.get(path);

  function send(method: string, path: string, by = account): Promise<Answer> {
    return by.client.send(method, path, {
      ...(method === 'PATCH' && { body: { is_active: false } }),
    });
  }

  /** Sends a path unchanged. Other clients resolve or encode parts of it. */
  function sendAsIs(method: string, path: string, by = account): Promise<Answer> {
    const body = method === 'PATCH' ? '{"is_active":false}' : '';
    const head = [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${by.managementKey}`,
      `Content-Length: ${body.length}`,
      'Connection: close',
    ];
    return sendRaw(service.address, `${head.join('\r\n')}\r\n\r\n${body}`);
  }

  it.each(ADDRESSABLE)('is read, deactivated and reactivated where it is %s', async (_, user) => {
    const own = await service.openAccount();
    const [registered] = await register(own, user);
    const path = pathOf(user);
    const found = await read(path, own);
    expect(found.status).toBe(200);
    expect(found.body).toEqual({ data: registered });
    expect(await send('DELETE', path, own)).toMatchObject({ status: 204, text: '' });
    expect(await read(path, own)).toMatchObject({ body: { data: { user, is_active: false } } });
    const back = await own.client.patch(path, { is_active: true });
    expect(back).toMatchObject({ status: 200, body: { data: { user, is_active: true } } });
  });

  it.each(LIKE_ROUTES)('is found by its id alone where that is %j', async (user) => {
    const own = await service.openAccount();
    errorOf(await read(pathOf(user), own), 404);
    await register(own, user);
    expect(await read(pathOf(user), own)).toMatchObject({ status: 200, body: { data: { user } } });
  });

  it.each(SPELLINGS)('is at %s where it is %j', async (sent, user) => {
    const own = await service.openAccount();
    await register(own, user);
    const answer = await sendAsIs('GET', `/v1/end-users/${sent}`, own);
    expect(answer).toMatchObject({ status: 200, body: { data: { user } } });
  });

  it('does not mind the case of the route, and minds that of the id', async () => {
    await register(account, 'Case');
    expect(await read('/V1/End-Users/Case')).toMatchObject({ body: { data: { user: 'Case' } } });
    errorOf(await read('/v1/end-users/case'), 404);
  });

  it.each(['.', '..', '%2E', '%2e', '%2e%2E', '.%2e', '%2E.', '%2e/', '../'])(
    'is not found at %s, by any method, though registered',
    async (sent) => {
      const own = await service.openAccount();
      await register(own, ...DOTS);
      for (const method of METHODS) {
        errorOf(await sendAsIs(method, `/v1/end-users/${sent}`, own), 404);
      }
      for (const user of DOTS) {
        const listed = await own.client.get(`/v1/end-users?user=${user}`);
        expect(listed).toMatchObject({ body: { data: [{ user, is_active: true }] } });
      }
    },
  );

  it.each(NO_TRACKING_STRINGS.filter(([, user]) => user !== ''))(
    'is refused with 400 by every method where the id has %s',
    async (_, user) => {
      const before = await stateOf(service);
      for (const method of METHODS) {
        expectInvalid(await send(method, pathOf(user)), account, 'user');
      }
      expect(await stateOf(service)).toEqual(before);
    },
  );

  it('is the list where the id is empty, and no route where slashes are not encoded', async () => {
    expect(await read('/v1/end-users/')).toMatchObject({
      status: 200,
      body: { total_count: expect.any(Number) },
    });
    errorOf(await send('DELETE', '/v1/end-users/'), 405);
    const path = '/v1/end-users/a/b';
    expect(errorOf(await read(path), 404).message).toBe('There is no such route');
  });

  it('gets the same answer as an unknown one and as one of another account', async () => {
    const other = await service.openAccount();
    await register(other, 'theirs');
    const headers = { 'X-Request-Id': 'the same' };
    for (const method of METHODS) {
      const texts = await Promise.all(
        ['theirs', 'nobody', 'x'.repeat(512)].map(async (user) => {
          const body = method === 'PATCH' && { body: { is_active: false } };
          const call = { headers, ...body };
          const answer = await account.client.send(method, pathOf(user), call);
          errorOf(answer, 404);
          return answer.text;
        }),
      );
      expect(new Set(texts).size).toBe(1);
    }
    expect(await read(pathOf('theirs'), other)).toMatchObject({
      body: { data: { is_active: true } },
    });
  });

  it('is 404 to an individual account, after the shape', async () => {
    const individual = await service.openAccount('individual');
    for (const method of METHODS) {
      const { message, userId } = errorOf(await send(method, pathOf('ada'), individual), 404);
      expect(message).toContain('organization');
      expect(userId).toBe(individual.userId);
      const wrong = errorOf(await send(method, '/v1/end-users/%20a', individual), 400);
      expect(wrong.paths).toEqual(['user']);
    }
  });

  it('is answered to HEAD as to GET, without a body', async () => {
    await register(account, 'head');
    expect(await send('HEAD', pathOf('head'))).toMatchObject({ status: 200, text: '' });
    expect(await send('HEAD', pathOf('no-head'))).toMatchObject({ status: 404, text: '' });
  });
});
