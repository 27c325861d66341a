import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { LEDGERS } from '../../src/host/ledgers/ledgers.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { namespaceOf } from '../../src/event-sourcing/projections/generations.js';
import { Unavailable } from '../../src/kernel/errors.js';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { createKey } from '../support/harness/api-keys.js';
import { FORM } from '../support/harness/backends.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import { type Scrape, scrape } from '../support/harness/exposed-metrics.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import { onlyOn } from '../support/harness/only-on.js';
import { openRawConnection } from '../support/harness/raw-connection.js';
import { runningApp, startApp, type StartedApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { appendUnreadable } from '../support/harness/unreadable-event.js';

const embeddedModels = onlyOn(
  'embedded',
  'a read model is a database that another process may lock',
);

const REQUESTS = 'keyledger_http_request_duration_seconds_count';
const APPENDS = 'keyledger_append_duration_seconds_count';
const WAITS = 'keyledger_read_your_writes_wait_seconds_count';
const TIMEOUTS = 'keyledger_read_your_writes_timeouts_total';
const READ_SIDE = { read_models: 'management' };

type Labels = Readonly<Record<string, string>>;

/** Gives the growth of a counter from one scrape to another. */
function growth(before: Scrape, after: Scrape, name: string, labels: Labels = {}): number {
  return (after.value(name, labels) ?? NaN) - (before.value(name, labels) ?? 0);
}

describe('the metrics', () => {
  const service = runningApp();

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Gives the growth of counters during an action. Each counter is named with its labels. */
  async function added(
    action: () => Promise<unknown>,
    ...counters: readonly (readonly [string, Labels?])[]
  ): Promise<number[]> {
    const before = await scrape(service.client);
    await action();
    const after = await scrape(service.client);
    return counters.map(([name, labels]) => growth(before, after, name, labels));
  }

  it('count a registration as an append, and a second one as a conflict', async () => {
    const register = async (status: number): Promise<void> => {
      expect(await service.client.post('/v1/end-users', { user: 'ada' })).toMatchObject({ status });
    };
    const counters = [
      [APPENDS, { outcome: 'stored' }],
      [APPENDS, { outcome: 'conflict' }],
      [APPENDS, { outcome: 'failed' }],
    ] as const;
    expect(await added(() => register(201), ...counters)).toEqual([1, 0, 0]);
    expect(await added(() => register(409), ...counters)).toEqual([0, 1, 0]);
  });

  it('count an append that the log could not make', async () => {
    jest
      .spyOn(service.app.get<EventLog>(MANAGEMENT.log), 'append')
      .mockRejectedValue(new Unavailable('event log', new Error('full')));
    const register = async (): Promise<void> => {
      errorOf(await service.client.post('/v1/end-users', { user: 'grace' }), 503);
    };
    const counters = [
      [APPENDS, { outcome: 'failed' }],
      [APPENDS, { outcome: 'stored' }],
    ] as const;
    expect(await added(register, ...counters)).toEqual([1, 0]);
  });

  it('count each refusal of a key under the status of its answer', async () => {
    const { key } = await createKey(service.client);
    const refused: readonly (readonly [string, Labels])[] = [
      ['401', {}],
      ['401', { Authorization: 'Basic YTpi' }],
      ['401', { Authorization: `Bearer ${mintKeyString('mk-v1-')}` }],
      ['403', { Authorization: `Bearer ${key}` }],
    ];
    for (const [status, headers] of refused) {
      const ask = () => service.client.as(undefined).get('/v1/end-users', { headers });
      const asked = { method: 'GET', route: '/v1/end-users' };
      const counters = [
        [REQUESTS, { ...asked, status }],
        [REQUESTS, asked],
      ] as const;
      expect(await added(ask, ...counters)).toEqual([1, 1]);
    }
  });

  it.each([
    ['request-invalid', { cost: -1 }],
    ['occurred-at-out-of-range', { occurred_at: '2001-01-01T00:00:00Z' }],
    ['body-too-large', { user: 'x'.repeat(512 * 1024) }],
    ['key-invalid', {}],
  ])('count a usage report that is refused as %s', async (reason, fields) => {
    const body = { records: [{ key_hash: UNKNOWN_HASH, cost: 0, ...fields }] };
    const client = reason === 'key-invalid' ? service.client.as('nobody') : service.client;
    const send = () => client.send('PUT', `/v1/usage-reports/${randomUUID()}`, { body });
    const refused = 'keyledger_usage_reports_refused_total';
    expect(await added(send, [refused, { reason }], [refused])).toEqual([1, 1]);
  });

  it('count a request whose caller went away as aborted', async () => {
    const labels = { method: 'POST', route: '/v1/end-users', status: 'aborted' };
    const before = await scrape(service.client);
    const connection = await openRawConnection(service.address);
    connection.send(
      'POST /v1/end-users HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nExpect: 100-continue\r\n' +
        `Authorization: Bearer ${service.managementKey}\r\n\r\n{`,
    );
    await eventually('the service reads', () => connection.received().includes('100 Continue'));
    connection.destroy();
    const after = await eventually('the request is counted', async () => {
      const seen = await scrape(service.client);
      return seen.value(REQUESTS, labels) !== undefined && seen;
    });
    expect(growth(before, after, REQUESTS, labels)).toBe(1);
  });

  it('count how long a list waited, and where the read models are', async () => {
    const { client } = service;
    const before = await scrape(client);
    const registered = await client.post('/v1/end-users', { user: 'edsger' });
    expect(registered.status).toBe(201);
    expect((await client.get('/v1/end-users')).status).toBe(200);
    await stateOf(service);
    const after = await scrape(client);
    expect(growth(before, after, WAITS, READ_SIDE)).toBe(1);
    expect(growth(before, after, TIMEOUTS)).toBe(0);
    expect(growth(before, after, 'keyledger_read_models_events_applied_total', READ_SIDE)).toBe(1);
    const passed = growth(before, after, 'keyledger_read_models_position', READ_SIDE);
    // EventStoreDB measures its log in bytes.
    if (FORM === 'embedded') expect(passed).toBe(1);
    else expect(passed).toBeGreaterThan(1);
    expect(after.value('keyledger_read_models_lag', READ_SIDE)).toBe(0);
    expect(after.value('keyledger_read_models_lag_seconds', READ_SIDE)).toBe(0);
    expect(after.value('keyledger_read_models_state', { ...READ_SIDE, state: 'live' })).toBe(1);
    expect(after.value('keyledger_read_models_state', READ_SIDE)).toBe(1);
    expect(after.value('keyledger_ready')).toBe(1);
  });

  it.each([
    ['refuses', () => Promise.reject(new Unavailable('event log', new Error('out of reach')))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])('are told while the log %s, but for how far it is ahead', async (_, fail) => {
    const log = service.app.get<EventLog>(MANAGEMENT.log);
    jest.spyOn(log, 'head').mockImplementation(fail);
    jest.spyOn(log, 'ping').mockImplementation(fail);
    const seen = await scrape(service.client);
    expect(seen.value('keyledger_ready')).toBe(0);
    expect(seen.value('keyledger_read_models_lag', READ_SIDE)).toBeUndefined();
    expect(seen.value('keyledger_read_models_state', { ...READ_SIDE, state: 'live' })).toBe(1);
    jest.restoreAllMocks();
    const healed = await scrape(service.client);
    expect(healed.value('keyledger_ready')).toBe(1);
    expect(healed.value('keyledger_read_models_lag', READ_SIDE)).toBe(0);
  });
});

describe('the metrics of a service', () => {
  let service: StartedApp;

  afterEach(async () => {
    await service.stop();
  });

  it('with a rate limit count the creations that it refused', async () => {
    service = await startApp({ RATE_LIMIT_KEY_CREATION: '1/60s' });
    for (const status of [201, 429, 429]) {
      expect(await service.client.post('/v1/keys', { name: 'a key' })).toMatchObject({ status });
    }
    const limited = { method: 'POST', route: '/v1/keys', status: '429' };
    expect((await scrape(service.client)).value(REQUESTS, limited)).toBe(2);
  });

  it('with stuck read models say so and how far behind, as the log names the event', async () => {
    service = await startApp({ READ_YOUR_WRITES_TIMEOUT: '50ms' });
    const before = await scrape(service.client);
    const id = await appendUnreadable(service.app, 'EndUserRegistered');
    const seen = await eventually('they are stuck', async () => {
      const after = await scrape(service.client);
      return (
        after.value('keyledger_read_models_state', { ...READ_SIDE, state: 'stuck' }) === 1 && after
      );
    });
    if (FORM === 'embedded') expect(seen.value('keyledger_read_models_lag', READ_SIDE)).toBe(1);
    else expect(seen.value('keyledger_read_models_lag', READ_SIDE)).toBeGreaterThan(1);
    expect(seen.value('keyledger_ready')).toBe(0);
    expect(growth(before, seen, 'keyledger_read_models_position', READ_SIDE)).toBe(0);
    const { metadata } = errorOf(await service.client.get('/health/ready'), 503);
    expect(service.logLines.join('')).toContain(`event ${id} (EndUserRegistered`);
    expect(metadata).toEqual({
      missing: [{ part: 'read models of management', problem: 'stuck' }],
    });
  });

  embeddedModels.it(
    'count a read that a locked read model keeps from the newest writes, and its way back',
    async () => {
      service = await startApp({ READ_YOUR_WRITES_TIMEOUT: '200ms' });
      const { client, backends } = service;
      await client.get('/v1/end-users');
      await stateOf(service);
      const lag = 'keyledger_read_models_lag_seconds';
      const before = await scrape(client);
      const file = `read-models/${namespaceOf(LEDGERS.management.readSide, 1)}.db`;
      const other = new Database(join(backends.dataDir, file));
      try {
        other.exec('BEGIN IMMEDIATE');
        expect((await client.post('/v1/end-users', { user: 'grace' })).status).toBe(201);
        expect(await client.get('/v1/end-users')).toMatchObject({ body: { total_count: 0 } });
        const behind = await scrape(client);
        expect(growth(before, behind, TIMEOUTS, READ_SIDE)).toBe(1);
        expect(growth(before, behind, WAITS, READ_SIDE)).toBe(1);
        const waited = 'keyledger_read_your_writes_wait_seconds_sum';
        expect(growth(before, behind, waited, READ_SIDE)).toBeGreaterThanOrEqual(0.19);
        expect(behind.value('keyledger_read_models_lag', READ_SIDE)).toBe(1);
        await eventually('the lag grows', async () => {
          const seconds = (await scrape(client)).value(lag, READ_SIDE) ?? 0;
          return seconds > 0.19;
        });
      } finally {
        other.close();
      }
      await eventually(
        'the read models have caught up',
        async () => (await scrape(client)).value(lag, READ_SIDE) === 0,
        15_000,
      );
    },
  );
});
