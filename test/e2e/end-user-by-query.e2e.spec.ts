import { beforeEach, describe, expect, it } from '@jest/globals';
import { createKey } from '../harness/api-keys.js';
import { eventTypesOfEndUser, type OneEndUser, pathOf, register } from '../harness/end-users.js';
import { errorOf } from '../harness/error-of.js';
import type { Answer } from '../harness/http-client.js';
import { runningApp, type TestAccount } from '../harness/running-app.js';
import { stateOf } from '../harness/service-state.js';
import { NO_TRACKING_STRINGS } from '../harness/tracking-strings.js';

const NAMES = ['end-users', 'external-users'] as const;
const METHODS = ['PATCH', 'DELETE'] as const;

describe('one end user, by query', () => {
  const service = runningApp();
  let account: TestAccount;

  beforeEach(async () => {
    account = await service.openAccount();
  });

  const queryOf = (user: string): string => `?user=${encodeURIComponent(user)}`;

  function send(
    method: (typeof METHODS)[number],
    query: string,
    { name = 'end-users', by = account, headers = {} }: Sent = {},
  ): Promise<Answer<OneEndUser>> {
    const body = method === 'PATCH' && { body: { is_active: false } };
    return by.client.send(method, `/v1/${name}${query}`, { headers, ...body });
  }

  async function isActive(user: string): Promise<boolean | undefined> {
    const query = `${queryOf(user)}&include_inactive=true`;
    const { body } = await account.client.get<{ data: OneEndUser['data'][] }>(
      `/v1/end-users${query}`,
    );
    return body.data.at(0)?.is_active;
  }

  it.each(['ada', '.', '..', 'a/b', '../keys/x', 'a+b', 'a b', '%2F', 'é', '?user=b&user=c'])(
    'is deactivated and reactivated under both names where it is %j, and nobody else is',
    async (user) => {
      await register(account, 'someone', user);
      for (const name of NAMES) {
        const one = `/v1/${name}${queryOf(user)}`;
        expect(await account.client.delete(one)).toMatchObject({ status: 204, text: '' });
        expect(await isActive(user)).toBe(false);
        const back = await account.client.patch<OneEndUser>(one, { is_active: true });
        expect(back).toMatchObject({ status: 200, body: { data: { user, is_active: true } } });
        expect(await isActive(user)).toBe(true);
      }
      expect(await eventTypesOfEndUser(service, account, user)).toHaveLength(5);
      expect(await eventTypesOfEndUser(service, account, 'someone')).toHaveLength(1);
    },
  );

  it('gets the answers of the path, errors too, byte for byte', async () => {
    const headers = { 'X-Request-Id': 'the same' };
    await register(account, 'ada');
    await account.client.delete(pathOf('ada'));
    const individual = await service.openAccount('individual');
    for (const [user, by] of [
      ['ada', account],
      ['nobody', account],
      ['ada', individual],
    ] as const) {
      for (const method of METHODS) {
        const body = method === 'PATCH' && { body: { is_active: false } };
        const byPath = await by.client.send(method, pathOf(user), { headers, ...body });
        const byQuery = await send(method, queryOf(user), { by, headers });
        expect({ status: byQuery.status, text: byQuery.text }).toEqual({
          status: byPath.status,
          text: byPath.text,
        });
      }
    }
  });

  it.each([
    '',
    '?',
    '?user',
    '?user=',
    '?usr=ada',
    '?user=ada&user=ada',
    '/?include_inactive=true',
  ])('must be named, once: %j changes nothing', async (query) => {
    await register(account, 'ada', 'eve');
    const before = await stateOf(service);
    for (const name of NAMES) {
      for (const method of METHODS) {
        const answer = await send(method, query, { name });
        expect(errorOf(answer, 400)).toMatchObject({
          reason: 'request-invalid',
          paths: ['user'],
        });
      }
    }
    expect(await stateOf(service)).toEqual(before);
  });

  it.each(
    NO_TRACKING_STRINGS.filter(([, user]) => typeof user === 'string' && user.isWellFormed()),
  )('is refused where it has %s', async (_, user) => {
    for (const method of METHODS) {
      expect(errorOf(await send(method, queryOf(String(user))), 400).paths).toEqual(['user']);
    }
  });

  it('is refused where the encoding is broken', async () => {
    for (const method of METHODS) {
      expect(errorOf(await send(method, '?user=%FF'), 400).paths).toEqual(['user']);
    }
  });

  it('needs a management key', async () => {
    const { key } = await createKey(account.client);
    const one = `/v1/end-users${queryOf('ada')}`;
    await register(account, 'ada');
    for (const method of METHODS) {
      errorOf(await account.client.as(undefined).send(method, one), 401);
      errorOf(await account.client.as(key).send(method, one), 403);
    }
    expect(await isActive('ada')).toBe(true);
  });
});

interface Sent {
  readonly name?: (typeof NAMES)[number];
  readonly by?: TestAccount;
  readonly headers?: Readonly<Record<string, string>>;
}
