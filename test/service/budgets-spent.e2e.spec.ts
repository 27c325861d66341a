import { beforeEach, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '../../src/kernel/day.js';
import { createKey } from '../support/harness/api-keys.js';
import type { Answer } from '../support/harness/http-client.js';
import { reportUsage } from '../support/harness/report-usage.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';

interface OneBudget {
  readonly data?: Readonly<Record<string, unknown>>;
}

const service = runningApp();
const account = accountOfEach(service);

const COMMON = '/v1/end-user-budget';

let hash: string;

beforeEach(async () => {
  hash = (await createKey(account.client)).data.hash;
});

const report = (record: object) => reportUsage(account.client, { key_hash: hash, ...record });

async function shown(answer: Promise<Answer<OneBudget>>): Promise<NonNullable<OneBudget['data']>> {
  const { body, text } = await answer;
  if (!body.data) throw new Error(`the answer was ${text}`);
  return body.data;
}

const set = (path: string, budget: object) => shown(account.client.put(path, budget));
const read = (path: string) => shown(account.client.get(path));

describe.each([
  ['workspace', '/v1/workspaces/default/budget'],
  ['end user', '/v1/end-users/ada/budget'],
])('what a %s has spent', (_, path) => {
  beforeEach(async () => {
    await account.client.put('/v1/end-users/ada', undefined);
  });

  const spend = (record: object) => report({ user: 'ada', ...record });
  const yesterday = () => new Date(Date.now() - DAY_MS).toISOString();

  it('counts from before the budget, and of the current window alone', async () => {
    await spend({ cost: '0.1', byok_cost: '0.2' });
    await spend({ cost: '3', occurred_at: yesterday() });
    const daily = { limit: 1, limit_reset: 'daily' };
    const answer = await set(path, daily);
    expect(answer).toMatchObject({ usage: 0.1, byok_usage: 0.2, limit_remaining: 0.9 });
    expect(await read(path)).toEqual(answer);
    await spend({ cost: '0.000000001' });
    expect(await read(path)).toMatchObject({ usage: 0.100000001, limit_remaining: 0.899999999 });
    const withByok = await set(path, { ...daily, include_byok_in_limit: true });
    expect(withByok).toMatchObject({ byok_usage: 0.2, limit_remaining: 0.699999999 });
    expect(await set(path, { limit: 3 })).toMatchObject({
      usage: 3.100000001,
      limit_remaining: 0,
      resets_at: null,
    });
  });

  it('is less once a report is taken back', async () => {
    await set(path, { limit: 5 });
    await spend({ cost: 1 });
    const id = await spend({ cost: 2 });
    expect(await read(path)).toMatchObject({ usage: 3, limit_remaining: 2 });
    await account.client.delete(`/v1/usage-reports/${id}`);
    expect(await read(path)).toMatchObject({ usage: 1, limit_remaining: 4 });
  });

  it('has nothing of keys that are not of the account, or deleted', async () => {
    await set(path, { limit: 5 });
    const foreign = await createKey((await service.openAccount()).client);
    await spend({ cost: 1, key_hash: foreign.data.hash });
    await account.client.delete(`/v1/keys/${hash}`);
    await spend({ cost: 1 });
    expect(await read(path)).toMatchObject({ usage: 0 });
  });
});

describe('what an end user has spent', () => {
  it('is of each user alone under the common budget, registered or not', async () => {
    await account.client.put(COMMON, { limit: 5, limit_reset: 'weekly' });
    await account.client.put('/v1/end-users/ada', undefined);
    await report({ cost: 1, user: 'ada' });
    await report({ cost: 2, user: 'eve' });
    await report({ cost: 4 });
    for (const [user, usage] of [
      ['ada', 1],
      ['eve', 2],
      ['Ada', 0],
    ] as const) {
      const budget = await read(`/v1/end-users/${user}/budget`);
      expect(budget).toMatchObject({ usage, limit_remaining: 5 - usage, is_common: true });
    }
  });
});
