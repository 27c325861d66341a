import type { Server } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import { openRawConnection, type RawConnection } from '../support/harness/raw-connection.js';
import { runningApp } from '../support/harness/running-app.js';

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
    const seen = await eventually('a connection is free', () =>
      scrape(service.client).catch(() => undefined),
    );
    expect(seen.value('keyledger_connections_refused_total')).toBeGreaterThanOrEqual(1);
  });
});
