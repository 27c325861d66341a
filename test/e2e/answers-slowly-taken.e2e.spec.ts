import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Backends, CHOSEN, freshBackends } from '../harness/backends.js';
import { eventually } from '../harness/eventually.js';
import { scrape } from '../harness/exposed-metrics.js';
import type { HttpClient } from '../harness/http-client.js';
import { runningApp } from '../harness/running-app.js';
import { startService, type ServiceProcess } from '../harness/service-process.js';
import { askSlowly, type SlowReader } from '../harness/slow-reader.js';

type Headers = Readonly<Record<string, string>>;

/** Each event has the name before and after. Together they are much larger than the buffers of a connection. */
const RENAMES = 2_500;
const AT_ONCE = 25;
const CHARACTERS = ['\u{1f510}', '\u{1f511}', '\u{1f512}'];
const LENGTH = 512;
const STREAM = '/v1/audit-events';
const AS_LINES = { Accept: 'application/x-ndjson' };
const CONNECT = 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n';

// FerretDB scans all events for each part of a stream.
jest.setTimeout(CHOSEN.readStore === 'mongodb' ? 120_000 : 30_000);

async function renameKeys(client: HttpClient): Promise<void> {
  // One key for each concurrent rename, so that their events are stored together.
  const made = Array.from({ length: AT_ONCE }, () =>
    client.post<{ data: { hash: string } }>('/v1/keys', { name: 'a key' }),
  );
  const hashes = (await Promise.all(made)).map(({ body }) => body.data.hash);
  for (let done = 0; done < RENAMES; done += AT_ONCE) {
    const renames = hashes.map((hash, index) => {
      const name = CHARACTERS[(done / AT_ONCE) % CHARACTERS.length]?.repeat(LENGTH - 8) ?? '';
      return client.patch(`/v1/keys/${hash}`, { name: `${name}${done + index}` });
    });
    for (const renamed of await Promise.all(renames))
      expect(renamed).toMatchObject({ status: 200 });
  }
}

/** Opens a connection that requests all events and reads nothing of them yet. */
function askForStream(address: string, authorization: Headers): Socket {
  const socket = connect(Number(new URL(address).port), '127.0.0.1').pause();
  const headers = { Host: 'a', ...AS_LINES, ...authorization };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${STREAM} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return socket;
}

describe('an answer that is slowly taken', () => {
  const service = runningApp();
  let authorization: Headers;

  beforeAll(async () => {
    await renameKeys(service.client);
    authorization = { Authorization: `Bearer ${service.managementKey}` };
  }, 120_000);

  it('has not come whole when its reader leaves, in the log and in the metrics', async () => {
    const reader = await askSlowly(`${service.address}${STREAM}`, {
      ...AS_LINES,
      ...authorization,
    });
    reader.leave();
    const line = await eventually('the request is logged', () =>
      service.logLines.find((line) => line.includes('"route":"/v1/audit-events"')),
    );
    expect(JSON.parse(line)).toMatchObject({ msg: 'request aborted', status: 200 });
    const labels = { method: 'GET', route: '/v1/audit-events', status: 'aborted' };
    const seen = await scrape(service.client);
    expect(seen.value('keyledger_http_request_duration_seconds_count', labels)).toBe(1);
  });

  it('comes whole though a CONNECT is sent behind its request', async () => {
    const server: Server = service.app.getHttpServer();
    const requested = once(server, 'request') as Promise<[unknown, ServerResponse]>;
    const socket = askForStream(service.address, authorization);
    const [, response] = await requested;
    await eventually('the answer is held up', () => response.writableNeedDrain, 25_000);
    const connected = once(server, 'connect');
    socket.write(CONNECT);
    await connected;
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const received = Buffer.concat(chunks).toString('latin1');
    expect(received.match(/"key\.renamed"/g)).toHaveLength(RENAMES);
    expect(received).toMatch(/\r\n0\r\n\r\nHTTP\/1\.1 400 /);
  });
});

describe('a stop of the service, to an answer that is slowly taken,', () => {
  let backends: Backends;
  let service: ServiceProcess;
  let authorization: Headers;
  let reader: SlowReader | Socket | undefined;

  beforeAll(async () => {
    backends = await freshBackends();
    service = await startService(backends.settings);
    await renameKeys(service.client);
    authorization = { Authorization: `Bearer ${service.managementKey}` };
    await service.stop();
  }, 120_000);

  afterEach(async () => {
    if (reader && 'leave' in reader) reader.leave();
    else reader?.destroy();
    await service.stop('SIGKILL');
  });

  afterAll(async () => {
    await backends.dispose();
  });

  it('leaves the time to be taken whole', async () => {
    service = await startService(backends.settings);
    reader = await askSlowly(`${service.address}${STREAM}`, { ...AS_LINES, ...authorization });
    service.child.kill('SIGTERM');
    await service.logs(/^stopping$/);
    expect((await reader.read()).match(/"key\.renamed"/g)).toHaveLength(RENAMES);
    expect(await service.ended).toBe(0);
  });

  it('comes to its end also where a CONNECT was sent behind the request', async () => {
    service = await startService(backends.settings);
    const socket = askForStream(service.address, authorization);
    reader = socket;
    socket.on('error', () => undefined);
    await once(socket, 'readable');
    socket.write(CONNECT);
    const begun = performance.now();
    expect(await service.stop()).toBe(0);
    expect((performance.now() - begun) / 1_000).toBeLessThan(14);
  });
});
