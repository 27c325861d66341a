import { describe, expect, it } from '@jest/globals';
import {
  type EndUserList,
  eventTypesOfEndUser,
  type OneEndUser,
  pathOf,
  register,
} from '../support/harness/end-users.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';

const service = runningApp();

describe('an end user', () => {
  const account = accountOfEach(service);

  const deactivate = (user: string): Promise<Answer> => account.client.send('DELETE', pathOf(user));

  const update = (user: string, body: unknown): Promise<Answer<OneEndUser>> =>
    account.client.patch(pathOf(user), body);

  const read = async (user: string): Promise<OneEndUser['data']> =>
    (await account.client.get<OneEndUser>(pathOf(user))).body.data;

  const list = async (query = ''): Promise<EndUserList> =>
    (await account.client.get<EndUserList>(`/v1/end-users${query}`)).body;

  async function expectListed(query: string, users: string[], total = users.length): Promise<void> {
    const { data, total_count } = await list(query);
    expect({ query, users: data.map(({ user }) => user), total_count }).toEqual({
      query,
      users,
      total_count: total,
    });
  }

  it('is deactivated by DELETE and by PATCH, and reactivated by PATCH', async () => {
    const [registered] = await register(account, 'ada');
    expect(await deactivate('ada')).toMatchObject({ status: 204, text: '' });
    const inactive = await read('ada');
    const { user, created_at } = registered ?? inactive;
    const { updated_at } = inactive;
    expect(inactive).toEqual({ user, created_at, is_active: false, updated_at });
    const back = await update('ada', { is_active: true });
    expect(back.status).toBe(200);
    const reactivated = { user, created_at, is_active: true, updated_at: expect.any(String) };
    expect(back.body.data).toEqual(reactivated);
    expect(await read('ada')).toEqual(back.body.data);
    const again = await update('ada', { is_active: false });
    expect(again).toMatchObject({ status: 200, body: { data: { is_active: false } } });
    expect(await read('ada')).toEqual(again.body.data);
    expect(await eventTypesOfEndUser(service, account, 'ada')).toEqual([
      'EndUserRegistered',
      'EndUserDeactivated',
      'EndUserReactivated',
      'EndUserDeactivated',
    ]);
  });

  it('does not change when it is so already', async () => {
    const [registered] = await register(account, 'ada');
    const fresh = await stateOf(service);
    const same = await update('ada', { is_active: true });
    expect(same).toMatchObject({ status: 200, body: { data: registered } });
    expect(await stateOf(service)).toEqual(fresh);
    await deactivate('ada');
    const record = await read('ada');
    const before = await stateOf(service);
    expect(await deactivate('ada')).toMatchObject({ status: 204, text: '' });
    expect((await update('ada', { is_active: false })).body).toEqual({ data: record });
    expect(await stateOf(service)).toEqual(before);
  });

  it('is found inactive by the filter only when inactive ones are asked for', async () => {
    await register(account, 'a', 'b');
    await deactivate('a');
    await expectListed('?user=a', []);
    await expectListed('?user=a&include_inactive=false', []);
    await expectListed('?user=a&include_inactive=true', ['a']);
    await expectListed('?user=b&include_inactive=true', ['b']);
    await expectListed('?user=a&include_inactive=true&offset=1', [], 1);
    const { data } = await list('?user=a&include_inactive=true');
    expect(data).toEqual([await read('a')]);
  });

  it.each([
    [{}, ['is_active']],
    [{ is_active: null }, ['is_active']],
    [{ is_active: 'false' }, ['is_active']],
    [{ is_active: 0 }, ['is_active']],
    [{ is_active: [true] }, ['is_active']],
    [{ is_active: false, user: 'b' }, ['user']],
    [{ is_active: false, Is_active: true }, ['Is_active']],
    [{ updated_at: null, created_at: null }, ['created_at', 'is_active', 'updated_at']],
    ['{"is_active":false,"__proto__":{}}', ['__proto__']],
  ])('is not changed by the body %j', async (body, paths) => {
    await register(account, 'ada');
    const before = await stateOf(service);
    expect(errorOf(await update('ada', body), 400).paths).toEqual(paths);
    expect(errorOf(await update('nobody', body), 400).paths).toEqual(paths);
    expect(await stateOf(service)).toEqual(before);
  });

  it('is answered to each of many changes at once as that change left it', async () => {
    await register(account, 'ada');
    for (let round = 0; round < 40; round += 1) {
      const wanted = Array.from({ length: 10 }, (_, index) => (index + round) % 2 === 0);
      const answers = await Promise.all(wanted.map((is_active) => update('ada', { is_active })));
      for (const [index, { status, body }] of answers.entries()) {
        expect({ status, is_active: body.data.is_active }).toEqual({
          status: 200,
          is_active: wanted[index],
        });
      }
      const last = (await eventTypesOfEndUser(service, account, 'ada')).at(-1);
      const isActive = last !== 'EndUserDeactivated';
      expect((await read('ada')).is_active).toBe(isActive);
      await expectListed('', isActive ? ['ada'] : []);
    }
    // Every event is a change, so the two types alternate.
    const [first, ...changes] = await eventTypesOfEndUser(service, account, 'ada');
    const turns = ['EndUserDeactivated', 'EndUserReactivated'];
    expect(first).toBe('EndUserRegistered');
    expect(changes).toEqual(changes.map((_, index) => turns[index % 2]));
  });

  it('is in exactly one place of pages and counts that are read while others change', async () => {
    const users = Array.from(
      { length: 60 },
      (_, index) => `user ${String(index).padStart(2, '0')}`,
    );
    await register(account, ...users);
    const writing = { left: users.length };
    const all = users.map(async (user, index) => {
      await deactivate(user);
      if (index % 2 === 0) await update(user, { is_active: true });
      writing.left -= 1;
    });
    while (writing.left > 0) {
      const { data, total_count } = await list('?limit=100');
      expect(data).toHaveLength(total_count);
      expect(data.every(({ is_active }) => is_active)).toBe(true);
      const order = data.map(({ user }) => user);
      expect(order).toEqual([...new Set(order)].sort());
      expect((await list('?limit=100&include_inactive=true')).data).toHaveLength(60);
    }
    await Promise.all(all);
    await expectListed(
      '?limit=100',
      users.filter((_, index) => index % 2 === 0),
    );
  });
});
