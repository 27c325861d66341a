import { afterEach, beforeEach, expect } from '@jest/globals';
import { itOnSimulator } from '../../support/backends/it-on-simulator.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { startEventStoreDb } from '../../support/backends/start-eventstoredb.js';
import type { EventStoreDbServer } from '../../support/backends/eventstoredb-server.js';
import { startService, type ServiceProcess } from '../../support/harness/service-process.js';

const PASSWORD = 'not-for-the-log';

describeOnMongoDb('the log of a service on EventStoreDB', (store) => {
  let server: EventStoreDbServer;
  let service: ServiceProcess;

  /** Gives the error of a log line, after checking that it contains each text once. */
  function errorIn(line: Record<string, unknown>, ...texts: readonly string[]): unknown {
    const asText = JSON.stringify(line);
    for (const text of texts) expect([text, asText.split(text).length - 1]).toEqual([text, 1]);
    return line.err;
  }

  beforeEach(async () => {
    server = await startEventStoreDb();
    const connection = server.connectionString.replace('//', `//admin:${PASSWORD}@`);
    service = await startService({
      EVENTSTOREDB_CONNECTION_STRING: connection,
      MONGODB_URI: store().freshUri(),
      LOG_LEVEL: 'info',
    });
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
    await server.stop();
  });

  itOnSimulator('says once what the server refused and why, and nothing secret', async () => {
    await server.inject({ on: 'append', effect: 'fail', failure: 'access-denied' });
    const refused = await service.client.post('/v1/end-users', { user: 'ada' });
    expect(refused.status).toBe(503);
    const line = await service.logs(/^event log unavailable$/);
    expect(errorIn(line, 'denies access', 'PERMISSION_DENIED')).toMatchObject({
      message: expect.stringMatching(/^EventStoreDB denies access.*: 7 PERMISSION_DENIED/),
      stack: expect.stringMatching(
        / at RetriedCalls\.run [^]*\ncaused by: AccessDeniedError\n {4}at /,
      ),
    });
    expect(service.output()).not.toContain(PASSWORD);
  });

  itOnSimulator('says once that the server is lost, with the stack of its client', async () => {
    await server.kill();
    const late = await service.client.post('/v1/end-users', { user: 'ada' });
    expect(late.status).toBe(503);
    const unavailable = await service.logs(/^event log unavailable$/);
    expect(errorIn(unavailable, '14 UNAVAILABLE', 'ECONNREFUSED')).toMatchObject({
      type: 'Unavailable',
      message: expect.stringMatching(/^event log unavailable: 14 UNAVAILABLE: .*ECONNREFUSED/),
      stack: expect.stringMatching(
        / at RetriedCalls\.run [^]*\ncaused by: UnavailableError\n {4}at /,
      ),
    });
    expect(service.output()).not.toContain(PASSWORD);
  });

  for (const fate of ['killed', 'frozen'])
    itOnSimulator(
      `has nothing but its own lines, however many wait for a server that is ${fate}`,
      async () => {
        if (fate === 'killed') await server.kill();
        else server.freeze();
        const waiting = Array.from({ length: 20 }, (_, index) =>
          service.client.post('/v1/end-users', { user: `user-${index}` }),
        );
        expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(
          waiting.map(() => 503),
        );
        expect(service.output()).not.toContain('Warning');
      },
    );
});
