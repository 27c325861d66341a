import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { eventually } from '../support/harness/eventually.js';
import { openRawConnection, type RawConnection } from '../support/harness/raw-connection.js';
import { startService, type ServiceProcess } from '../support/harness/service-process.js';
import { beginRegistration, signalStop } from '../support/harness/stopping-service.js';
import { storedEvents } from '../support/harness/stored-events.js';

const BODY = JSON.stringify({ user: 'ada' });
const HALF = BODY.length / 2;

describe('a service that gets a signal to stop', () => {
  let backends: Backends;
  let service: ServiceProcess;
  let connection: RawConnection;

  beforeEach(async () => {
    backends = await freshBackends();
    service = await startService(backends.settings);
  });

  afterEach(async () => {
    connection.destroy();
    await service.stop('SIGKILL');
    await backends.dispose();
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'by %s finishes a request in flight, accepts no other and exits with 0',
    async (name) => {
      connection = await beginRegistration(service, BODY, HALF);
      await signalStop(service, name);
      await expect(openRawConnection(service.address)).rejects.toThrow('ECONNREFUSED');
      connection.send(BODY.slice(HALF));
      expect(await service.ended).toBe(0);
      await connection.closed;
      expect(connection.received()).toMatch(/HTTP\/1\.1 201 [^]*"user":"ada"/);
      const registered = (await storedEvents(backends.settings)).filter(
        ({ type }) => type === 'EndUserRegistered',
      );
      expect(registered).toMatchObject([{ data: { user: 'ada' } }]);
    },
  );

  it('cuts off after about 10 s what never finishes, and exits with 0', async () => {
    connection = await beginRegistration(service, BODY, HALF);
    const begun = performance.now();
    await signalStop(service, 'SIGTERM');
    expect(await service.ended).toBe(0);
    await connection.closed;
    const seconds = (performance.now() - begun) / 1_000;
    expect(seconds).toBeGreaterThan(9);
    expect(seconds).toBeLessThan(14);
  });

  it('exits at once at a second signal, with 1', async () => {
    connection = await beginRegistration(service, BODY, HALF);
    await signalStop(service, 'SIGTERM');
    const begun = performance.now();
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(1);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('exits promptly although an idle connection is kept alive', async () => {
    connection = await openRawConnection(service.address);
    connection.send('GET /health/live HTTP/1.1\r\nHost: service\r\n\r\n');
    await eventually('an answer', () => connection.received().includes('live'));
    const begun = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});
