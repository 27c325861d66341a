import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { CreateManagementKey } from '../../src/features/accounts/accounts.commands.js';
import { EVENT_LOG, type EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { Unavailable } from '../../src/kernel/errors.js';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { FixedWindows } from '../../src/edge/rate-limits/fixed-windows.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { eventually } from '../support/harness/eventually.js';
import { openRawConnection } from '../support/harness/raw-connection.js';
import {
  OPERATOR,
  runningApp,
  startApp,
  type TestAccount,
} from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';

const HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'];

describe('the rate limit on creating keys', () => {
  const service = runningApp({ RATE_LIMIT_KEY_CREATION: '3/60s' });
  let account: TestAccount;

  beforeEach(async () => {
    account = await service.openAccount();
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  function create(body: unknown = { name: 'a key' }): Promise<Answer> {
    return account.client.post('/v1/keys', body);
  }

  function remaining(answer: Answer): unknown {
    expect(answer.headers.get('ratelimit-limit')).toBe('3');
    const reset = Number(answer.headers.get('ratelimit-reset'));
    expect(Number.isInteger(reset)).toBe(true);
    expect(reset).toBeGreaterThanOrEqual(1);
    expect(reset).toBeLessThanOrEqual(60);
    return { status: answer.status, left: answer.headers.get('ratelimit-remaining') };
  }

  it('lets so many through and refuses the next with 429, without creating anything', async () => {
    for (const left of ['2', '1', '0']) {
      const created = await create();
      expect(remaining(created)).toEqual({ status: 201, left });
      expect(created.headers.get('retry-after')).toBeNull();
    }
    const before = await stateOf(service);
    const refused = await create();
    expect(remaining(refused)).toEqual({ status: 429, left: '0' });
    const { message, userId } = errorOf(refused, 429);
    expect({ message, userId }).toEqual({
      message: 'Rate limit exceeded',
      userId: account.userId,
    });
    expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'));
    expect(await stateOf(service)).toEqual(before);
  });

  it('gives back a request that creates nothing, and says what is left on its answer too', async () => {
    expect(remaining(await create())).toEqual({ status: 201, left: '2' });
    const tooLarge = JSON.stringify({ name: 'n'.repeat(200_000) });
    for (let round = 0; round < 3; round += 1) {
      expect(remaining(await create({ name: '' }))).toEqual({ status: 400, left: '2' });
      expect(remaining(await create('{'))).toEqual({ status: 400, left: '2' });
      expect(remaining(await create(tooLarge))).toEqual({ status: 413, left: '2' });
      const unknown = { name: 'a', workspace_id: 'none' };
      expect(remaining(await create(unknown))).toEqual({ status: 400, left: '2' });
    }
    expect(remaining(await create())).toEqual({ status: 201, left: '1' });
  });

  it('counts a request that failed, as its key may be there all the same', async () => {
    const log = service.app.get<EventLog>(EVENT_LOG);
    const append = log.append.bind(log);
    jest.spyOn(log, 'append').mockImplementationOnce(async (...args) => {
      await append(...args);
      throw new Unavailable('event log', new Error('no answer'));
    });
    expect(remaining(await create())).toEqual({ status: 503, left: '2' });
    expect(remaining(await create())).toEqual({ status: 201, left: '1' });
    const { body } = await account.client.get('/v1/keys');
    expect(body).toMatchObject({ total_count: 2 });
  });

  it('does not count a request that it refused', async () => {
    const head =
      'POST /v1/keys HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n' +
      `Authorization: Bearer ${account.managementKey}\r\n\r\n`;
    const waiting = await Promise.all(
      Array.from({ length: 3 }, () => openRawConnection(service.address)),
    );
    const counting = jest.spyOn(FixedWindows.prototype, 'use');
    for (const connection of waiting) connection.send(head);
    await eventually('they are counted', () => counting.mock.results.length === waiting.length);
    expect(await create('{')).toMatchObject({ status: 429 });
    for (const connection of waiting) connection.send('{');
    await Promise.all(waiting.map(({ closed }) => closed));
    for (const { received } of waiting) expect(received()).toMatch(/^HTTP\/1.1 400 /);
    const statuses = [await create(), await create(), await create(), await create()].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([201, 201, 201, 429]);
  });

  it('lets exactly so many through when many come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create()));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(3).fill(201), ...Array<number>(17).fill(429)]);
  });

  it('counts for each management key by itself, those of one account too', async () => {
    const { accountId, userId, client } = account;
    const second = mintKeyString('mk-v1-');
    const wanted = { hash: hashKeyString(second), user_id: userId, name: 'second' };
    await service.app.get(CommandBus).execute(new CreateManagementKey(accountId, wanted, OPERATOR));
    const other = await service.openAccount();
    for (let count = 0; count < 3; count += 1) await create();
    expect(await create()).toMatchObject({ status: 429 });
    for (const caller of [client.as(second), other.client]) {
      expect(remaining(await caller.post('/v1/keys', { name: 'a' }))).toEqual({
        status: 201,
        left: '2',
      });
    }
    expect(await create()).toMatchObject({ status: 429 });
  });

  it('comes after the key is known: it neither counts nor answers those without', async () => {
    const { key } = await createKey(account.client);
    for (let count = 0; count < 5; count += 1) {
      errorOf(await account.client.as(undefined).post('/v1/keys', { name: 'a' }), 401);
      errorOf(await account.client.as(key).post('/v1/keys', { name: 'a' }), 403);
    }
    expect(remaining(await create())).toEqual({ status: 201, left: '1' });
  });

  it('concerns no other route', async () => {
    for (let count = 0; count < 4; count += 1) await create();
    for (let count = 0; count < 5; count += 1) {
      const answer = await account.client.post('/v1/end-users', { user: `user-${count}` });
      expect(answer).toMatchObject({ status: 201 });
      expect(answer.headers.get('ratelimit-limit')).toBeNull();
    }
  });

  it('begins anew with the next window', async () => {
    const short = await startApp({ RATE_LIMIT_KEY_CREATION: '1/1s' });
    try {
      const first = await short.client.post('/v1/keys', { name: 'a' });
      const second = await short.client.post('/v1/keys', { name: 'b' });
      expect([first.status, second.status]).toEqual([201, 429]);
      expect(second.headers.get('retry-after')).toBe('1');
      await eventually('the next window', async () => {
        return (await short.client.post('/v1/keys', { name: 'c' })).status === 201;
      });
    } finally {
      await short.stop();
    }
  });

  it('can be switched off', async () => {
    const free = await startApp({ RATE_LIMIT_KEY_CREATION: 'off' });
    try {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => free.client.post('/v1/keys', { name: 'a' })),
      );
      for (const { status, headers } of answers) {
        expect(status).toBe(201);
        for (const name of HEADERS) expect(headers.get(name)).toBeNull();
      }
    } finally {
      await free.stop();
    }
  });
});
