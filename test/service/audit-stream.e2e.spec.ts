import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ReadModels } from '../../src/event-sourcing/projections/read-models.js';
import { auditPage, recordsIn } from '../support/harness/audit-events.js';
import { type Backends, FORM } from '../support/harness/backends.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import { backendsWithTrail, registerMany } from '../support/harness/long-trail.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import { type ServiceProcess, startService } from '../support/harness/service-process.js';
import { askSlowly, type SlowReader } from '../support/harness/slow-reader.js';
import { endOf, type Ended } from '../support/harness/stopping-service.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';

/** Events of more than 2 KB each. */
const MANY = 4_000;
/** The number of events that open an account. */
const OPENING = 4;
const NDJSON = { Accept: 'application/x-ndjson' };

jest.setTimeout(FORM === 'cluster' ? 240_000 : 60_000);

describe('the audit trail as a stream', () => {
  let backends: Backends;
  let stopped: ServiceProcess;
  let authorization: Readonly<Record<string, string>>;
  let left: SlowReader;
  let end: Promise<Ended>;

  // A stop waits ten seconds for a reader, and other tests run meanwhile.
  beforeAll(async () => {
    const trail = await backendsWithTrail(MANY);
    backends = trail.backends;
    stopped = await startService(backends.settings);
    authorization = { Authorization: `Bearer ${trail.managementKey}` };
    left = await askSlowly(`${stopped.address}/v1/audit-events`, { ...authorization, ...NDJSON });
    end = endOf(stopped);
  });

  afterAll(async () => {
    left.leave();
    await stopped.stop('SIGKILL');
    await backends.dispose();
  });

  describe('from a service that runs', () => {
    const service = runningApp();
    let account: TestAccount;
    /** The number of events of the account. */
    let count = MANY + OPENING;
    let models: ReadModels;
    const readers: SlowReader[] = [];

    beforeAll(async () => {
      account = await service.openAccount();
      await registerMany(service, account, MANY);
      models = service.app.get<ReadModels>(MANAGEMENT.models);
      // From the first request on, the key is in memory, so that no later one reads more than the
      // others.
      await readAll();
    });

    afterEach(() => {
      jest.restoreAllMocks();
      for (const reader of readers.splice(0)) reader.leave();
    });

    async function ask(): Promise<SlowReader> {
      const Authorization = `Bearer ${account.managementKey}`;
      const reader = await askSlowly(`${service.address}/v1/audit-events`, {
        Authorization,
        ...NDJSON,
      });
      readers.push(reader);
      return reader;
    }

    async function readAll(): Promise<ReturnType<typeof recordsIn>> {
      return recordsIn((await auditPage(account.client, '', { headers: NDJSON })).text);
    }

    async function aborted(): Promise<number> {
      const labels = { method: 'GET', route: '/v1/audit-events', status: 'aborted' };
      const seen = await scrape(service.client);
      return seen.value('keyledger_http_request_duration_seconds_count', labels) ?? 0;
    }

    function faults(): string[] {
      return service.logLines.filter((line) => line.includes('"level":50'));
    }

    it('has every event once, newest first, however many there are', async () => {
      const events = await readAll();
      expect(events).toHaveLength(count);
      expect(new Set(events.map(({ id }) => id)).size).toBe(count);
      const positions = events.map(({ log_position }) => log_position);
      expect(positions).toEqual(positions.toSorted().reverse());
    });

    it('is read from the store as slowly as it is taken, and comes whole in the end', async () => {
      const reads = jest.spyOn(models, 'read');
      await readAll();
      const readsOfAll = reads.mock.calls.length;
      reads.mockClear();
      const reader = await ask();
      // Other readers read everything meanwhile, so the service has time to read ahead.
      await readAll();
      await readAll();
      const readsOfSlow = reads.mock.calls.length - 2 * readsOfAll;
      expect(readsOfSlow).toBeGreaterThan(0);
      expect(readsOfSlow).toBeLessThan(readsOfAll / 2);
      expect(recordsIn(await reader.read())).toHaveLength(count);
      expect(reads.mock.calls.length).toBe(3 * readsOfAll);
    });

    it('is read no further when the reader leaves', async () => {
      const reads = jest.spyOn(models, 'read');
      await readAll();
      const readsOfAll = reads.mock.calls.length;
      const before = await aborted();
      const faultsBefore = faults();
      const reader = await ask();
      reader.leave();
      await eventually('the service notices', async () => (await aborted()) === before + 1);
      const line = service.logLines.find((line) => line.includes('"request aborted"'));
      expect(JSON.parse(line ?? '')).toMatchObject({ route: '/v1/audit-events', status: 200 });
      const readsOfLeft = reads.mock.calls.length - readsOfAll;
      await readAll();
      expect(reads.mock.calls.length).toBe(2 * readsOfAll + readsOfLeft);
      expect(readsOfLeft).toBeLessThan(readsOfAll / 2);
      expect(faults()).toEqual(faultsBefore);
    });

    it('shows events that come while it is read neither twice nor instead of others', async () => {
      const before = count;
      const reader = await ask();
      for (const user of ['late-1', 'late-2']) {
        expect((await account.client.post('/v1/end-users', { user })).status).toBe(201);
        count += 1;
      }
      const events = recordsIn(await reader.read());
      expect(events).toHaveLength(before);
      expect(new Set(events.map(({ id }) => id)).size).toBe(before);
    });

    it('is refused like a page when nothing can be read, and broken off when that comes later', async () => {
      const before = faults().length;
      const fail = (): Promise<never> => Promise.reject(new Error('broken'));
      jest.spyOn(models, 'read').mockImplementationOnce(fail);
      errorOf(await auditPage(account.client, '', { headers: NDJSON }), 500);
      const reader = await ask();
      jest.spyOn(models, 'read').mockImplementationOnce(fail);
      expect(reader.status).toBe(200);
      await expect(reader.read()).rejects.toMatchObject({ code: 'ECONNRESET' });
      const own = faults().slice(before);
      expect(own).toHaveLength(2);
      for (const fault of own) expect(fault).toContain('broken');
      const line = await eventually('the request is logged', () =>
        service.logLines.find((line) => line.includes('"request interrupted"')),
      );
      expect(JSON.parse(line)).toMatchObject({ route: '/v1/audit-events', status: 200 });
      const seen = await scrape(service.client);
      const labels = { route: '/v1/audit-events', status: 'broken' };
      expect(seen.value('keyledger_http_request_duration_seconds_count', labels)).toBe(1);
    });
  });

  it('is cut off after about 10 s when its reader leaves it and the service stops, which exits with 0', async () => {
    expect(left.status).toBe(200);
    const { code, seconds } = await end;
    expect(code).toBe(0);
    expect(seconds).toBeGreaterThan(9);
    expect(seconds).toBeLessThan(14);
    await expect(left.read()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('has the time to be taken whole when the service stops', async () => {
    const service = await startService(backends.settings);
    let reader: SlowReader | undefined;
    try {
      reader = await askSlowly(`${service.address}/v1/audit-events`, {
        ...authorization,
        ...NDJSON,
      });
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
