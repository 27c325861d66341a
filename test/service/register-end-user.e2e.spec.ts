import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EndUserRecord } from '../../src/features/end-users/end-user.fields.js';
import { errorOf } from '../support/harness/error-of.js';
import { TIME } from '../support/harness/forms.js';
import type { Answer } from '../support/harness/http-client.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { NO_TRACKING_STRINGS, TRACKING_STRINGS } from '../support/harness/tracking-strings.js';

const TAKEN = 'The tracking ID is already registered in this organization';

describe('registering an end user', () => {
  const service = runningApp();
  let account: TestAccount;

  beforeEach(async () => {
    account = await service.openAccount();
  });

  function register(body: unknown): Promise<Answer<{ data: EndUserRecord }>> {
    return account.client.post('/v1/end-users', body);
  }

  async function expectRefused(body: unknown, ...paths: string[]): Promise<void> {
    const before = await stateOf(service);
    const { message, paths: fields, userId } = errorOf(await register(body), 400);
    expect({ message, fields, userId }).toEqual({
      message: 'Invalid request',
      fields: paths,
      userId: account.userId,
    });
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

  it('refuses a string that is registered already with 409 and writes nothing', async () => {
    await register({ user: 'ada' });
    const before = await stateOf(service);
    const { message, userId } = errorOf(await register({ user: 'ada' }), 409);
    expect({ message, userId }).toEqual({ message: TAKEN, userId: account.userId });
    expect(await stateOf(service)).toEqual(before);
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

  it('registers 100 different strings at once, each once', async () => {
    const users = Array.from({ length: 100 }, (_, index) => `user ${index}`);
    const answers = await Promise.all(users.map((user) => register({ user })));
    expect(answers.map(({ status }) => status)).toEqual(users.map(() => 201));
    const listed = await account.client.get<{ data: EndUserRecord[]; total_count: number }>(
      '/v1/end-users?limit=100',
    );
    expect(listed.body.total_count).toBe(100);
    expect(listed.body.data.map(({ user }) => user).sort()).toEqual([...users].sort());
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
