import { describe, expect, it } from '@jest/globals';
import { type OneEndUser, pathOf } from '../support/harness/end-users.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { madeString } from '../support/harness/made-strings.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { TRACKING_STRINGS } from '../support/harness/tracking-strings.js';

const service = runningApp();

const ADDRESSABLE = TRACKING_STRINGS.filter(([, user]) => user !== '.' && user !== '..');

describe('registering an end user by PUT', () => {
  const account = accountOfEach(service);

  const put = (user: string, body?: unknown): Promise<Answer<OneEndUser>> =>
    account.client.put<OneEndUser>(pathOf(user), body);

  it('answers 201 with the record, and the same again with 200 and no event', async () => {
    const created = await put('ada');
    expect(created).toMatchObject({
      status: 201,
      body: { data: { user: 'ada', is_active: true } },
    });
    const before = await stateOf(service);
    expect(await put('ada')).toMatchObject({ status: 200, body: created.body });
    expect(await stateOf(service)).toEqual(before);
    const posted = await account.client.post('/v1/end-users', { user: 'ada' });
    expect(errorOf(posted, 409).reason).toBe('end-user-already-registered');
  });

  it('gives an inactive end user as it is', async () => {
    await put('ada');
    const changed = await account.client.patch(pathOf('ada'), { is_active: false });
    expect(await put('ada')).toMatchObject({ status: 200, body: changed.body });
  });

  it.each(ADDRESSABLE)('takes %s from the path', async (_, user) => {
    expect(await put(user)).toMatchObject({ status: 201, body: { data: { user } } });
  });

  it('reads no body, whatever it is', async () => {
    for (const body of ['{', { user: 'bob' }, 'x'.repeat(200_000)]) {
      expect((await put('ada', body)).body.data.user).toBe('ada');
    }
  });

  it('registers once, however many ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => put('ada')));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(49).fill(200), 201]);
  });

  it('refuses `.` and `..` with 404, however they are written', async () => {
    for (const segment of ['.', '..', '%2E', '%2e%2E']) {
      const head = `PUT /v1/end-users/${segment} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
      const sent = `${head}Authorization: Bearer ${account.managementKey}\r\n\r\n`;
      expect((await sendRaw(service.address, sent)).status).toBe(404);
    }
  });

  it('refuses a key string in the path, and neither repeats nor stores it', async () => {
    const before = await stateOf(service);
    const lines = service.logLines.length;
    for (const key of [madeString().key, madeString('mk-v1-').key, account.managementKey]) {
      const answer = await put(`user ${key}`);
      expectInvalid(answer, account, 'user');
      expect(answer.text).not.toContain(key);
      expect(service.logLines.slice(lines).join()).not.toContain(key);
    }
    expectInvalid(await put(' ada'), account, 'user');
    expect(await stateOf(service)).toEqual(before);
  });

  it('answers 404 to an individual account', async () => {
    const { client } = await service.openAccount('individual');
    expect(errorOf(await client.put(pathOf('ada'), undefined), 404)).toMatchObject({
      reason: 'organization-required',
    });
  });
});
