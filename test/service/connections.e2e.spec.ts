import type { Server } from 'node:http';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type CreatedKey, eventsOfKey } from '../support/harness/api-keys.js';
import { auditPage } from '../support/harness/audit-events.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import { registerMany } from '../support/harness/long-trail.js';
import {
  openConnections,
  openRawConnection,
  type RawConnection,
} from '../support/harness/raw-connection.js';
import { accountOf, runningApp } from '../support/harness/running-app.js';
import { storedEvents } from '../support/harness/stored-events.js';

const service = runningApp();

const MOST = 8;
const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: service\r\n\r\n';

describe('the connections of a service', () => {
  const service = runningApp({ MAX_CONNECTIONS: String(MOST), KEEP_ALIVE_TIMEOUT: '1s' });
  let opened: RawConnection[] = [];

  afterEach(() => {
    for (const connection of opened) connection.destroy();
    opened = [];
  });

  async function open(): Promise<RawConnection> {
    const connection = await openRawConnection(service.address);
    opened.push(connection);
    return connection;
  }

  it('have the time limits that docs/api.md 1.6 names', () => {
    const server: Server = service.app.getHttpServer();
    expect(server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      timeout: 60_000,
      keepAliveTimeout: 1_000,
      maxConnections: MOST,
    });
  });

  it('are closed when no request comes for KEEP_ALIVE_TIMEOUT', async () => {
    const connection = await open();
    connection.send(REQUEST);
    await eventually('an answer', () => connection.received().includes('live'));
    const answered = performance.now();
    await connection.closed;
    expect(performance.now() - answered).toBeGreaterThan(900);
  });

  it('are closed at once and counted beyond MAX_CONNECTIONS, and those before are served', async () => {
    const connections = [];
    for (let count = 0; count <= MOST; count += 1) connections.push(await open());
    await connections[MOST]?.closed;
    expect(connections[MOST]?.received()).toBe('');
    const [first] = connections;
    first?.send(REQUEST);
    await eventually('an answer', () => first?.received().includes('live'));
    for (const connection of connections) connection.destroy();
    const server: Server = service.app.getHttpServer();
    // The client's own fetch may wait for ever on a connection that is closed at once.
    await eventually('the connections are free', async () => (await openConnections(server)) === 0);
    const seen = await scrape(service.client);
    expect(seen.value('keyledger_connections_refused_total')).toBeGreaterThanOrEqual(1);
  });
});

describe('a closed connection', () => {
  const PIPELINED = 8;
  /** So many that the requests behind the streams would take all 64 places of the account. */
  const CONNECTIONS = 11;
  const NDJSON = { Accept: 'application/x-ndjson' };
  const account = accountOf(service);

  /** Sends two long streams without reading them, with other requests behind them. */
  async function sendUnread(id: string): Promise<RawConnection> {
    const connection = await openRawConnection(service.address);
    connection.pause();
    const headers = `Host: a\r\nX-Request-Id: ${id}\r\nAuthorization: Bearer ${account.managementKey}\r\n`;
    const stream = `GET /v1/audit-events HTTP/1.1\r\n${headers}Accept: ${NDJSON.Accept}\r\n\r\n`;
    const page = `GET /v1/end-users HTTP/1.1\r\n${headers}\r\n`;
    connection.send(stream.repeat(2) + page.repeat(PIPELINED - 2));
    return connection;
  }

  it('holds no place and no stream of its account, and each of its requests has a log line', async () => {
    await registerMany(service, account, 4_000);
    const server: Server = service.app.getHttpServer();
    for (let round = 0; round < CONNECTIONS; round += 1) {
      const id = randomUUID();
      let arrived = 0;
      const count = (): void => void (arrived += 1);
      server.on('request', count);
      const connection = await sendUnread(id);
      await eventually('the requests are there', () => arrived === PIPELINED);
      server.off('request', count);
      connection.destroy();
      await eventually('a line of each request', () => {
        const lines = service.logLines.filter((line) => line.includes(id));
        return lines.filter((line) => line.includes('"duration_ms"')).length === PIPELINED;
      });
    }
    expect(await account.client.get('/v1/end-users')).toMatchObject({ status: 200 });
    expect(await account.client.get('/v1/audit-events', { headers: NDJSON })).toMatchObject({
      status: 200,
    });
  });
});

const SPAN = '00f067aa0ba902b7';

describe('the traceparent of a request', () => {
  const newTrace = (): string => randomBytes(16).toString('hex');

  /**
   * Creates a key in a request with a traceparent. Gives its hash, and the log line of the request.
   */
  async function create(traceparent: string, more: Readonly<Record<string, string>> = {}) {
    const id = randomUUID();
    const headers = { 'X-Request-Id': id, traceparent, ...more };
    const { body } = await service.client.post<CreatedKey>('/v1/keys', { name: 'a' }, { headers });
    const line = await eventually('the log line', () =>
      service.logLines.find((text) => text.includes(id) && text.includes('"duration_ms"')),
    );
    return { hash: body.data.hash, line: JSON.parse(line) as Record<string, unknown> };
  }

  async function auditedOf(hash: string) {
    const { body } = await auditPage(service.client, `target_type=key&target_id=${hash}`);
    return body.data[0];
  }

  async function metadataOf(hash: string) {
    const [created] = await eventsOfKey(service, hash);
    return created?.metadata;
  }

  it('stands in its log line, in the events that it made and in the audit trail', async () => {
    const trace = newTrace();
    const { hash, line } = await create(`00-${trace}-${SPAN}-01`, {
      tracestate: 'vendor=state-of-a-vendor',
    });
    expect(line).toMatchObject({ trace_id: trace, span_id: SPAN });
    expect(await metadataOf(hash)).toMatchObject({ trace_id: trace, span_id: SPAN });
    expect(await auditedOf(hash)).toMatchObject({ trace_id: trace });
    expect(JSON.stringify(await storedEvents(service.backends.settings))).not.toContain(
      'state-of-a-vendor',
    );
  });

  it('stands in the line of an error too', async () => {
    const trace = newTrace();
    const headers = { traceparent: `00-${trace}-${SPAN}-00` };
    expect((await service.client.get('/v1/keys?limit=0', { headers })).status).toBe(400);
    const line = await eventually('the log line', () =>
      service.logLines.find((text) => text.includes(trace)),
    );
    expect(JSON.parse(line)).toMatchObject({ trace_id: trace, status: 400 });
  });

  it.each([
    ['is invalid', () => `00-${newTrace()}-${SPAN}`],
    // A trace id that repeats half of the key would keep it for good.
    ['repeats a piece of the key', () => `00-${service.managementKey.slice(8, 40)}-${SPAN}-01`],
  ])('leaves nothing where it %s', async (_, traceparent) => {
    const given = traceparent();
    const { hash, line } = await create(given);
    expect(line).not.toHaveProperty('trace_id');
    expect(await metadataOf(hash)).not.toHaveProperty('trace_id');
    expect(await auditedOf(hash)).toMatchObject({ trace_id: null });
    const piece = given.slice(3, 35);
    expect(service.logLines.some((text) => text.includes(piece))).toBe(false);
  });
});

describe('the client behind trusted proxies', () => {
  const service = runningApp({ TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' });
  let requests = 0;

  /** Sends a request with an X-Forwarded-For header, and gives its log line. */
  async function lineOf(forwarded: string | undefined, key?: string) {
    const id = `address-${++requests}`;
    await service.client.as(key).get('/v1/key', {
      headers: {
        'X-Request-Id': id,
        ...(forwarded !== undefined && { 'X-Forwarded-For': forwarded }),
      },
    });
    const find = (): string | undefined =>
      service.logLines.find((line) => line.includes(`"request_id":"${id}"`));
    return JSON.parse(await eventually('the line of a request', find)) as Record<string, unknown>;
  }

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['203.0.113.66, 192.0.2.1', '192.0.2.1'],
    ['203.0.113.66, 192.0.2.1, 10.1.2.3', '192.0.2.1'],
    ['10.9.9.9, 10.1.2.3', '10.9.9.9'],
    ['2001:db8::1', '2001:db8::1'],
    ['', '127.0.0.1'],
    [undefined, '127.0.0.1'],
  ])('of X-Forwarded-For: %s is %s', async (forwarded, address) => {
    expect(await lineOf(forwarded)).toMatchObject({ address });
  });

  it('is named in its log lines, with account, user and the first digits of the hash', async () => {
    const { accountId, managementKey, userId, client } = await service.openAccount();
    const line = await lineOf('192.0.2.1', managementKey);
    expect(line).toMatchObject({ account_id: accountId, user_id: userId, address: '192.0.2.1' });
    expect(line.key).toMatch(/^[0-9a-f]{8}$/);
    expect(await client.get('/v1/key')).toMatchObject({ status: 200 });
    expect(await lineOf('192.0.2.1')).toMatchObject({ account_id: null, user_id: null, key: null });
  });
});

describe('the client of a service that trusts no proxy', () => {
  it('gains nothing by what it says of itself', async () => {
    const headers = {
      'X-Request-Id': 'pretender',
      'X-Forwarded-For': '198.51.100.77',
      'X-Real-IP': '198.51.100.78',
      Forwarded: 'for=198.51.100.9',
    };
    await service.client.get('/v1/key', { headers });
    const line = await eventually('the line of a request', () =>
      service.logLines.find((text) => text.includes('"request_id":"pretender"')),
    );
    expect(JSON.parse(line)).toMatchObject({ address: '127.0.0.1' });
  });
});
