import { describe, expect, it } from '@jest/globals';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { madeString } from '../support/harness/made-strings.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';

const KEYS = '/v1/management-keys';

/** Expects the answers to have statuses, and the last one to be refused by a limit. */
function expectLimit(limit: string, answers: readonly Answer[], statuses: readonly number[]): void {
  expect(answers.map(({ status }) => status)).toEqual([...statuses, 429]);
  const last = answers.at(-1);
  if (last) expect(errorOf(last, 429).metadata).toMatchObject({ limit });
}

describe('the limit on creating keys', () => {
  const service = runningApp({ RATE_LIMIT_KEY_CREATION: '4/3600s' });
  const account = accountOfEach(service);

  it('counts each creation of a management key, repeats and refused ones too', async () => {
    const { client } = account;
    const { hash } = madeString('mk-v1-');
    const answers = [
      await client.put(`${KEYS}/${hash}`, { role: 'gateway' }),
      await client.put(`${KEYS}/${hash}`, { role: 'gateway' }),
      await client.put(`${KEYS}/${hash}`, { role: 'admin' }),
      await client.post(KEYS, { role: 'gateway', user_id: 'nobody' }),
      await client.post(KEYS, { role: 'gateway' }),
    ];
    expectLimit('key-creation', answers, [201, 200, 409, 400]);
    expect(await client.delete(`${KEYS}/${hash}`)).toMatchObject({ status: 200 });
  });
});

describe('the limit of writes', () => {
  const service = runningApp({ RATE_LIMIT_WRITES: '5/3600s' });
  const account = accountOfEach(service);

  it('counts each change of a management key, repeats and refused ones too', async () => {
    const { client } = account;
    const one = `${KEYS}/${madeString('mk-v1-').hash}`;
    const answers = [
      await client.put(one, { role: 'gateway' }),
      await client.put(one, { role: 'gateway' }),
      await client.delete(one),
      await client.delete(one),
      await client.delete(`${KEYS}/nothing`),
      await client.post(KEYS, { role: 'gateway' }),
    ];
    expectLimit('writes', answers, [201, 200, 200, 200, 404]);
    expect(await client.get(KEYS)).toMatchObject({ status: 200 });
  });

  it('counts each change of a member, repeats and refused ones too', async () => {
    const { client, userId } = account;
    const answers = [
      await client.put('/v1/members/bob', undefined),
      await client.put('/v1/members/bob', undefined),
      await client.delete('/v1/members/bob'),
      await client.delete('/v1/members/bob'),
      await client.delete(`/v1/members/${userId}`),
      await client.put('/v1/members/bob', undefined),
    ];
    expectLimit('writes', answers, [201, 200, 200, 404, 409]);
  });
});
