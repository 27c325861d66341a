import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Backends, FORM } from '../support/harness/backends.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import { backendsWithTrail, registerMany } from '../support/harness/long-trail.js';
import { runningApp } from '../support/harness/running-app.js';
import { startService, type ServiceProcess } from '../support/harness/service-process.js';
import { askSlowly, type SlowReader } from '../support/harness/slow-reader.js';
import { endOf, type Ended } from '../support/harness/stopping-service.js';

type Headers = Readonly<Record<string, string>>;

/** Events of 2 KB. Together they are much larger than the buffers of a connection. */
const MANY = 4_000;
const STREAM = '/v1/audit-events';
const AS_LINES = { Accept: 'application/x-ndjson' };

// The cluster folds the events over the network.
jest.setTimeout(FORM === 'cluster' ? 120_000 : 30_000);

/** Opens a connection that requests all events and does not read them yet. */
function askForStream(address: string, authorization: Headers): Socket {
  const socket = connect(Number(new URL(address).port), '127.0.0.1').pause();
  const headers = { Host: 'a', ...AS_LINES, ...authorization };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${STREAM} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return socket;
}

describe('an answer that is slowly taken', () => {
  let backends: Backends;
  let owner: Headers;
  let stopped: ServiceProcess;
  let unread: Socket;
  let end: Promise<Ended>;

  // A stop waits ten seconds for a reader, and other tests run meanwhile.
  beforeAll(async () => {
    const trail = await backendsWithTrail(MANY);
    backends = trail.backends;
    owner = { Authorization: `Bearer ${trail.managementKey}` };
    stopped = await startService(backends.settings);
    unread = askForStream(stopped.address, owner);
    unread.on('error', () => undefined);
    await once(unread, 'readable');
    end = endOf(stopped);
  }, 120_000);

  afterAll(async () => {
    unread.destroy();
    await stopped.stop('SIGKILL');
    await backends.dispose();
  });

  describe('while the service runs', () => {
    const service = runningApp();
    let authorization: Headers;

    beforeAll(async () => {
      const account = await service.openAccount();
      await registerMany(service, account, MANY);
      authorization = { Authorization: `Bearer ${account.managementKey}` };
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
  });

  describe('when the service stops', () => {
    it('is cut off after about 10 s when nobody takes it', async () => {
      const { code, seconds } = await end;
      expect(code).toBe(0);
      expect(seconds).toBeLessThan(14);
    });

    it('has the time to be taken whole', async () => {
      const service = await startService(backends.settings);
      let reader: SlowReader | undefined;
      try {
        reader = await askSlowly(`${service.address}${STREAM}`, { ...AS_LINES, ...owner });
        service.child.kill('SIGTERM');
        await service.logs(/^stopping$/);
        expect((await reader.read()).match(/"end-user\.registered"/g)).toHaveLength(MANY);
        expect(await service.ended).toBe(0);
      } finally {
        reader?.leave();
        await service.stop('SIGKILL');
      }
    });
  });
});
