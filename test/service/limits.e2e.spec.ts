import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { NEW_KEY } from '../support/histories/accounts.js';
import { CommandBus } from '@nestjs/cqrs';
import { FixedWindows } from '../../src/edge/rate-limits/fixed-windows.js';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { CreateManagementKey } from '../../src/features/accounts/management-keys.commands.js';
import { UsageDirectory } from '../../src/features/usage/usage-directory/usage-directory.js';
import { Unavailable } from '../../src/kernel/errors.js';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { createKey, type OneKey } from '../support/harness/api-keys.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import type { Answer } from '../support/harness/http-client.js';
import { registerMany } from '../support/harness/long-trail.js';
import { openRawConnection } from '../support/harness/raw-connection.js';
import { accountOf, accountOfEach, OPERATOR, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { askSlowly, type SlowReader } from '../support/harness/slow-reader.js';

const HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'];

describe('the rate limit on creating keys', () => {
  const service = runningApp({ RATE_LIMIT_KEY_CREATION: '3/60s' });
  const account = accountOfEach(service);

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
    const log = service.app.get<EventLog>(MANAGEMENT.log);
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
    const wanted = { ...NEW_KEY, hash: hashKeyString(second), user_id: userId, name: 'second' };
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

  describe('of a service without it', () => {
    const free = runningApp({ RATE_LIMIT_KEY_CREATION: 'off' });

    it('can be switched off', async () => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => free.client.post('/v1/keys', { name: 'a' })),
      );
      for (const { status, headers } of answers) {
        expect(status).toBe(201);
        for (const name of HEADERS) expect(headers.get(name)).toBeNull();
      }
    });
  });
});

const WINDOW = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'];

describe('the limit of writes', () => {
  const service = runningApp({ RATE_LIMIT_WRITES: '3/60s' });
  const strict = runningApp({ RATE_LIMIT_WRITES: '3/60s', RATE_LIMIT_KEY_CREATION: '1/60s' });
  const account = accountOfEach(service);
  let registered = 0;

  const register = (): Promise<Answer> =>
    account.client.post('/v1/end-users', { user: `user-${registered++}` });

  async function spend(): Promise<void> {
    for (let made = 0; made < 3; made += 1) expect(await register()).toMatchObject({ status: 201 });
  }

  function rateHeaders({ headers }: Answer): (string | null)[] {
    return WINDOW.map((name) => headers.get(name));
  }

  it('lets so many through, whichever they are, and refuses the next with 429, changing nothing', async () => {
    const { data } = await createKey(account.client);
    await account.client.patch(`/v1/keys/${data.hash}`, { name: 'another' });
    const deleted = await account.client.delete(`/v1/keys/${data.hash}`);
    expect(deleted).toMatchObject({ status: 200 });
    expect(rateHeaders(deleted)).toEqual([null, null, null, null]);
    const before = await stateOf(service);
    const refused = await register();
    expect(errorOf(refused, 429)).toMatchObject({
      message: 'Rate limit exceeded',
      userId: account.userId,
      metadata: { limit: 'writes' },
    });
    const [limit, remaining, reset, retryAfter] = rateHeaders(refused);
    expect({ limit, remaining }).toEqual({ limit: '3', remaining: '0' });
    expect(Number(reset)).toBeGreaterThan(50);
    expect(retryAfter).toBe(reset);
    errorOf(await account.client.post('/v1/keys', { name: 'a key' }), 429);
    expect(await stateOf(service)).toEqual(before);
  });

  it('limits no reads and no other account', async () => {
    await spend();
    errorOf(await register(), 429);
    expect(await account.client.get('/v1/end-users')).toMatchObject({ status: 200 });
    const other = await service.openAccount();
    expect(await other.client.post('/v1/end-users', { user: 'ada' })).toMatchObject({
      status: 201,
    });
  });

  it('gives back a request that is refused, but none that fails', async () => {
    for (let round = 0; round < 5; round += 1) {
      errorOf(await account.client.post('/v1/end-users', { user: '' }), 400);
      errorOf(await account.client.delete('/v1/keys/unknown'), 404);
    }
    const log = service.app.get<EventLog>(MANAGEMENT.log);
    jest.spyOn(log, 'append').mockRejectedValueOnce(new Unavailable('event log', new Error()));
    errorOf(await register(), 503);
    expect(await register()).toMatchObject({ status: 201 });
    expect(await register()).toMatchObject({ status: 201 });
    errorOf(await register(), 429);
  });

  it('counts a change that is stored although its usage cannot be read', async () => {
    const { data } = await createKey(account.client);
    const read = jest.spyOn(service.app.get(UsageDirectory), 'totalsOf');
    const change = (name: string): Promise<Answer> =>
      account.client.patch(`/v1/keys/${data.hash}`, { name });
    for (const name of ['second', 'third']) {
      read.mockRejectedValueOnce(new Unavailable('read store', new Error()));
      expect(errorOf(await change(name), 503).reason).toBe('stored-usage-unknown');
    }
    expect(errorOf(await change('fourth'), 429).metadata).toEqual({ limit: 'writes' });
    const stored = await account.client.get<OneKey>(`/v1/keys/${data.hash}`);
    expect(stored.body.data.name).toBe('third');
  });

  it('counts every change of an expiry, repeats and refusals included', async () => {
    const change = (body: object) => account.client.put(`/v1/keys/${UNKNOWN_HASH}/expiry`, body);
    errorOf(await change({ expires_at: 1 }), 400);
    errorOf(await change({ expires_at: null }), 404);
    errorOf(await change({ expires_at: null }), 404);
    errorOf(await change({ expires_at: null }), 429);
  });

  it('gives back a creation that the limit of creations refuses, but not one by PUT', async () => {
    const { client } = await strict.openAccount();
    const create = (): Promise<Answer> => client.post('/v1/keys', { name: 'a key' });
    expect(await create()).toMatchObject({ status: 201 });
    for (let round = 0; round < 4; round += 1) {
      expect(errorOf(await create(), 429).metadata).toEqual({ limit: 'key-creation' });
    }
    const put = (): Promise<Answer> => client.put(`/v1/keys/${UNKNOWN_HASH}`, { name: 'a key' });
    for (const limit of ['key-creation', 'key-creation', 'writes']) {
      expect(errorOf(await put(), 429).metadata).toEqual({ limit });
    }
  });

  it('refuses before a byte of the body is there', async () => {
    await spend();
    const connection = await openRawConnection(service.address);
    connection.send(
      'POST /v1/end-users HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n' +
        `Authorization: Bearer ${account.managementKey}\r\n\r\n`,
    );
    await eventually('the refusal', () => connection.received().includes('\r\n\r\n'));
    expect(connection.received()).toMatch(/^HTTP\/1\.1 429 /);
    connection.destroy();
  });
});

const NDJSON = { Accept: 'application/x-ndjson' };
const PATH = '/v1/audit-events';
/** More events than fit into the buffers of a connection. */
const MANY = 4_000;

describe('the limit of streams', () => {
  const service = runningApp({ RATE_LIMIT_STREAMS: '2,3' });
  const readers: SlowReader[] = [];
  const account = accountOf(service);

  beforeAll(async () => {
    await registerMany(service, account, MANY);
  });

  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.leave();
    await eventually('every slot is back', async () => {
      const { status } = await (await service.openAccount()).client.get(PATH, { headers: NDJSON });
      return status === 200;
    });
  });

  async function hold(one = account): Promise<SlowReader> {
    const Authorization = `Bearer ${one.managementKey}`;
    const reader = await askSlowly(`${service.address}${PATH}`, { Authorization, ...NDJSON });
    readers.push(reader);
    expect(reader.status).toBe(200);
    return reader;
  }

  const ask = (one = account): Promise<Answer> => one.client.get(PATH, { headers: NDJSON });

  it('refuses those of an account beyond so many with 429', async () => {
    await hold();
    await hold();
    const refused = await ask();
    expect(errorOf(refused, 429)).toMatchObject({
      reason: 'too-many-streams',
      message: 'Too many streams are being sent, or too many requests wait for events',
    });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await account.client.get(PATH)).toMatchObject({ status: 200 });
    errorOf(await account.client.get('/v1/activity', { headers: NDJSON }), 429);
    const other = await service.openAccount();
    expect(await ask(other)).toMatchObject({ status: 200 });
  });

  it('refuses those of all accounts beyond so many', async () => {
    const other = await service.openAccount();
    await registerMany(service, other, MANY);
    await hold();
    await hold();
    await hold(other);
    errorOf(await ask(other), 429);
    errorOf(await ask(await service.openAccount()), 429);
  });

  it('has a slot back when a stream was read, was left, or was refused, and takes none for HEAD', async () => {
    const one = await hold();
    await hold();
    errorOf(await ask(), 429);
    const head = await account.client.send('HEAD', PATH, { headers: NDJSON });
    expect(head).toMatchObject({ status: 200 });
    await one.read();
    expect(await ask()).toMatchObject({ status: 200 });
    const left = await hold();
    left.leave();
    await eventually('the slot is back', async () => (await ask()).status === 200);
    for (let round = 0; round < 3; round += 1) {
      errorOf(await account.client.get(`${PATH}?limit=0`, { headers: NDJSON }), 400);
    }
    expect(await ask()).toMatchObject({ status: 200 });
  });

  it('has a slot back when a CONNECT behind a stream ends its connection', async () => {
    await hold();
    const connection = await openRawConnection(service.address);
    connection.send(
      `GET ${PATH} HTTP/1.1\r\nHost: a\r\nAccept: application/x-ndjson\r\n` +
        `Authorization: Bearer ${account.managementKey}\r\n\r\n` +
        'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n',
    );
    await connection.closed;
    await eventually('the slot is back', async () => (await ask()).status === 200);
  });
});
