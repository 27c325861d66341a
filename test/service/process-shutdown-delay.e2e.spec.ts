import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { ConnectingClients } from '../support/harness/connecting-clients.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import { openRawConnection, type RawConnection } from '../support/harness/raw-connection.js';
import { startService, type ServiceProcess } from '../support/harness/service-process.js';
import {
  beginRegistration,
  endOf,
  type Ended,
  signalStop,
} from '../support/harness/stopping-service.js';

const BODY = JSON.stringify({ user: 'ada' });
const CLIENTS = 16;
/** Much shorter than the shortest delay of these tests. */
const WATCHED_MS = 1_000;

describe('a service that stops with a SHUTDOWN_DELAY', () => {
  let backends: Backends;
  let service: ServiceProcess;
  let connections: RawConnection[];
  let cutOff: Promise<Ended>;

  // The stop takes ten seconds, and other tests run meanwhile.
  beforeAll(async () => {
    const others = await freshBackends();
    const stopped = await startService({ ...others.settings, SHUTDOWN_DELAY: '5s' });
    const end = endOf(stopped);
    await stopped.logs(/^stopping$/);
    const connection = await beginRegistration(stopped, BODY, 1);
    cutOff = end.finally(async () => {
      await connection.closed;
      await others.dispose();
    });
  });

  afterAll(() => cutOff);

  async function start(delay: string): Promise<void> {
    service = await startService({ ...backends.settings, SHUTDOWN_DELAY: delay });
  }

  async function connect(): Promise<RawConnection> {
    const connection = await openRawConnection(service.address);
    connections.push(connection);
    return connection;
  }

  /** Begins a registration and sends only the first character of its body. */
  async function beginOne(): Promise<RawConnection> {
    const connection = await beginRegistration(service, BODY, 1);
    connections.push(connection);
    return connection;
  }

  beforeEach(async () => {
    connections = [];
    backends = await freshBackends();
  });

  afterEach(async () => {
    for (const connection of connections) connection.destroy();
    await service.stop('SIGKILL');
    await backends.dispose();
  });

  it('answers everyone who connects meanwhile, as readiness is red, and only then refuses', async () => {
    await start('3s');
    const url = `${service.address}/v1/end-users`;
    const clients = new ConnectingClients(url, service.managementKey, CLIENTS);
    await eventually('the clients are at it', () => clients.answered > CLIENTS * 10);
    const signalled = performance.now();
    await signalStop(service, 'SIGTERM');
    const noticed = performance.now();
    const answeredBefore = clients.answered;
    while (performance.now() < noticed + WATCHED_MS) {
      const { metadata } = errorOf(await service.client.get('/health/ready'), 503);
      expect(metadata).toEqual({ missing: [{ part: 'process', problem: 'stopping' }] });
    }
    await clients.stop();
    expect(clients.failures).toEqual([]);
    expect([...clients.answers.keys()]).toEqual([200]);
    expect(clients.answered).toBeGreaterThan(answeredBefore + CLIENTS);
    expect(await service.ended).toBe(0);
    expect(performance.now() - signalled).toBeGreaterThan(2_900);
    expect(performance.now() - signalled).toBeLessThan(8_000);
    await expect(openRawConnection(service.address)).rejects.toThrow('ECONNREFUSED');
  });

  it('ends each connection with its next answer, and then those that are idle', async () => {
    await start('5s');
    const request = 'GET /health/live HTTP/1.1\r\nHost: service\r\n\r\n';
    const idle = await connect();
    idle.send(request);
    await eventually('an answer', () => idle.received().includes('live'));
    expect(idle.received()).toMatch(/^Connection: keep-alive\r$/m);
    const underWay = await beginOne();
    await signalStop(service, 'SIGTERM');
    idle.send(request);
    underWay.send(BODY.slice(1));
    await Promise.all([idle.closed, underWay.closed]);
    expect(idle.received()).toMatch(/^Connection: close\r$/m);
    expect(idle.received().match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(underWay.received()).toMatch(/HTTP\/1\.1 201/);
  });

  it('exits at once at a second signal, with 1', async () => {
    await start('5s');
    await signalStop(service, 'SIGTERM');
    const begun = performance.now();
    expect(await service.stop()).toBe(1);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('does not wait when it is stopped from a terminal, by SIGINT', async () => {
    await start('5s');
    const begun = performance.now();
    expect(await service.stop('SIGINT')).toBe(0);
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  it('cuts off 10 s after the signal what never finishes, the delay included', async () => {
    const { code, seconds } = await cutOff;
    expect(code).toBe(0);
    expect(seconds).toBeGreaterThan(9);
    expect(seconds).toBeLessThan(14);
  });
});
