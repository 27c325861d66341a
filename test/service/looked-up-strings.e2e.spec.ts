import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { DecisionRunner } from '../../src/event-sourcing/decisions/decision-runner.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { reserveString } from '../../src/features/keys/published/reserved-strings.js';
import { KeyReader } from '../../src/features/verification/known-keys/key-reader.js';
import { createKey } from '../support/harness/api-keys.js';
import { madeString } from '../support/harness/made-strings.js';
import { onlyOn } from '../support/harness/only-on.js';
import { accountOfEach, OPERATOR, runningApp } from '../support/harness/running-app.js';

const service = runningApp();
const account = accountOfEach(service);
/** A replica reads a key once more when it follows its own events on a log server. */
const embedded = onlyOn('embedded', 'look-ups are counted');

let reads: jest.SpiedFunction<KeyReader['readApiKey']>;

beforeEach(() => {
  reads = jest.spyOn(service.app.get(KeyReader), 'readApiKey');
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** Gives the code of a verification, and the hashes that it looked up in the event log. */
async function verified(key: string): Promise<readonly [code: string, ...looked: string[]]> {
  reads.mockClear();
  const answer = await account.client.post<{ data: { code: string } }>('/v1/keys/verify', { key });
  return [answer.body.data.code, ...reads.mock.calls.map(([hash]) => hash)];
}

async function rotated(hash: string, grace_seconds: number) {
  const made = madeString();
  const path = `/v1/keys/${hash}/strings/${made.hash}`;
  expect(await account.client.put(path, { grace_seconds })).toMatchObject({ status: 201 });
  return made;
}

/** Reserves a string for a key, as a PUT does that is cut off then. */
async function reserve(hash: string, stringHash: string): Promise<void> {
  const runner = service.app.get<DecisionRunner>(MANAGEMENT.runner);
  const reservation = { account_id: account.accountId, key_hash: hash };
  await reserveString(runner, stringHash, reservation, OPERATOR);
}

embedded.it(
  'a later string is looked up first, then its key, and neither once they are in memory',
  async () => {
    const { data, key } = await createKey(account.client);
    const later = await rotated(data.hash, 60);
    expect(await verified(later.key)).toEqual(['VALID', later.hash, data.hash]);
    expect(await verified(later.key)).toEqual(['VALID']);
    expect(await verified(key)).toEqual(['VALID']);
    await account.client.patch(`/v1/keys/${data.hash}`, { name: 'changed' });
    expect(await verified(later.key)).toEqual(['VALID', data.hash]);
  },
);

embedded.it('clients that still use a string that has ended cost no look-up', async () => {
  const { data, key } = await createKey(account.client);
  const later = await rotated(data.hash, 60);
  for (const string of [key, later.key]) expect((await verified(string))[0]).toBe('VALID');
  const last = await rotated(data.hash, 0);
  expect(await verified(last.key)).toEqual(['VALID', last.hash, data.hash]);
  for (const string of [key, later.key]) expect(await verified(string)).toEqual(['ROTATED']);
});

embedded.it(
  'a string that is only reserved opens nothing, and is looked up each time until it is added',
  async () => {
    const { data } = await createKey(account.client);
    const made = madeString();
    await reserve(data.hash, made.hash);
    expect((await verified(made.key))[0]).toBe('ROTATED');
    for (let time = 0; time < 2; time += 1) {
      expect(await verified(made.key)).toEqual(['ROTATED', data.hash]);
    }
    const path = `/v1/keys/${data.hash}/strings/${made.hash}`;
    expect(await account.client.put(path, { grace_seconds: 60 })).toMatchObject({ status: 201 });
    expect((await verified(made.key))[0]).toBe('VALID');
  },
);

it('a string that was cut off before it was added and ended by hand is never added', async () => {
  const { data } = await createKey(account.client);
  const made = madeString();
  await reserve(data.hash, made.hash);
  const path = `/v1/keys/${data.hash}/strings/${made.hash}`;
  for (let time = 0; time < 2; time += 1) {
    expect(await account.client.delete(path)).toMatchObject({ status: 200 });
  }
  expect(await account.client.put(path, { grace_seconds: 60 })).toMatchObject({
    status: 409,
    body: { error: { metadata: { reason: 'string-ended' } } },
  });
});
