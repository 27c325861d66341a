import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EVENT_LOG, type EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { Unavailable } from '../../src/kernel/errors.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import { eventually } from '../support/harness/eventually.js';
import { openRawConnection } from '../support/harness/raw-connection.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';

const WINDOW = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'];

describe('the limit of writes', () => {
  const service = runningApp({ RATE_LIMIT_WRITES: '3/60s' });
  let account: TestAccount;
  let registered = 0;

  beforeEach(async () => {
    account = await service.openAccount();
  });

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

  it('counts what it refuses', async () => {
    const limited = async (): Promise<unknown[]> => {
      const seen = await scrape(service.client);
      const values = ['writes', 'key-creation'].map((limit) =>
        seen.value('keyledger_limited_requests_total', { limit }),
      );
      return values;
    };
    const before = await limited();
    await spend();
    errorOf(await register(), 429);
    errorOf(await account.client.post('/v1/keys', { name: 'a key' }), 429);
    expect(await limited()).toEqual([Number(before[0]) + 2, before[1]]);
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
    const log = service.app.get<EventLog>(EVENT_LOG);
    jest.spyOn(log, 'append').mockRejectedValueOnce(new Unavailable('event log', new Error()));
    errorOf(await register(), 503);
    expect(await register()).toMatchObject({ status: 201 });
    expect(await register()).toMatchObject({ status: 201 });
    errorOf(await register(), 429);
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
