import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { registerMany } from '../support/harness/long-trail.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import type { Answer } from '../support/harness/http-client.js';
import { openRawConnection } from '../support/harness/raw-connection.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import { askSlowly, type SlowReader } from '../support/harness/slow-reader.js';

const NDJSON = { Accept: 'application/x-ndjson' };
const PATH = '/v1/audit-events';
/** More events than fit into the buffers of a connection. */
const MANY = 4_000;

describe('the limit of streams', () => {
  const service = runningApp({ RATE_LIMIT_STREAMS: '2,3' });
  const readers: SlowReader[] = [];
  let account: TestAccount;

  beforeAll(async () => {
    account = await service.openAccount();
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

  it('refuses those of an account beyond so many with 429, and counts it', async () => {
    const limit = { limit: 'streams' };
    const count = async (): Promise<number> =>
      (await scrape(service.client)).value('keyledger_limited_requests_total', limit) ?? NaN;
    const before = await count();
    await hold();
    await hold();
    const refused = await ask();
    expect(errorOf(refused, 429).message).toBe('Too many streams are being sent');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await count()).toBe(before + 1);
    expect(await account.client.get(PATH)).toMatchObject({ status: 200 });
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
