import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { namespaceOf } from '../../src/event-sourcing/projections/generations.js';
import Database from 'better-sqlite3';
import { eventually } from '../support/harness/eventually.js';
import type { Answer } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import type { ServiceProcess } from '../support/harness/service-process.js';
import { stageOfEach } from '../support/harness/stage.js';
import { LEDGERS } from '../../src/host/ledgers/ledgers.js';

const embedded = onlyOn('embedded', 'both are databases that another process may lock');

const AT_ONCE_MS = 500;
/** How long an append waits for the lock. */
const LOCK_WAIT_MS = 5_000;

embedded.describe('a service of whose databases another process has the write lock', () => {
  const { backends, start } = stageOfEach();
  let service: ServiceProcess;
  let other: Database.Database | undefined;

  function lock(name: string): void {
    other = new Database(join(backends.dataDir, name));
    other.exec('BEGIN IMMEDIATE');
  }

  function release(): void {
    other?.close();
    other = undefined;
  }

  function register(user: string): Promise<Answer> {
    return service.client.post('/v1/end-users', { user });
  }

  /** Waits until a list has so many. One list waits for no more than 200 ms, for a nicer thread. */
  function listed(count: number): Promise<unknown> {
    return eventually(`${count} are listed`, async () => {
      const { body } = await service.client.get<{ total_count: number }>('/v1/end-users');
      return body.total_count === count;
    });
  }

  /** Measures how long `/health/live` takes. */
  async function pulse(): Promise<number> {
    const begun = performance.now();
    expect((await service.client.get('/health/live')).status).toBe(200);
    return performance.now() - begun;
  }

  /**
   * On a busy machine one pulse may be late, but not as late as an append waits. Most pulses must
   * be fast.
   */
  function expectAtOnce(pulses: readonly number[]): void {
    expect(Math.max(...pulses)).toBeLessThan(LOCK_WAIT_MS / 2);
    expect(pulses.toSorted((a, b) => a - b)[pulses.length >> 1]).toBeLessThan(AT_ONCE_MS);
  }

  /** Measures pulses until a request ends. */
  async function pulsesUntil(request: Promise<unknown>): Promise<number[]> {
    let ended = false;
    const end = request.finally(() => (ended = true));
    const pulses: number[] = [];
    await eventually(
      'the end of the request',
      async () => {
        pulses.push(await pulse());
        return ended;
      },
      15_000,
    );
    await end;
    return pulses;
  }

  beforeEach(async () => {
    service = await start({ READ_YOUR_WRITES_TIMEOUT: '200ms' });
    expect((await register('ada')).status).toBe(201);
    await listed(1);
  });

  afterEach(release);

  it('waits with appends to the log, and makes them when the lock is released', async () => {
    lock('events.db');
    const requests = ['one', 'two', 'three'].map(register);
    const pulses: number[] = [];
    while (pulses.length < 20) pulses.push(await pulse());
    expectAtOnce(pulses);
    expect(await service.client.get('/v1/end-users')).toMatchObject({ body: { total_count: 1 } });
    release();
    for (const { status } of await Promise.all(requests)) expect(status).toBe(201);
    await listed(4);
  });

  it('refuses appends with 503 when the lock is held too long, answers others at once meanwhile, and then recovers', async () => {
    lock('events.db');
    const begun = performance.now();
    const request = register('late');
    const pulses = await pulsesUntil(request);
    const { status, headers } = await request;
    expect(performance.now() - begun).toBeLessThan(12_000);
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(pulses.length).toBeGreaterThan(20);
    expectAtOnce(pulses);
    expect(await service.logs(/^event log unavailable$/)).toMatchObject({
      err: { message: expect.stringMatching(/^event log unavailable: ./) },
    });
    release();
    expect((await register('late')).status).toBe(201);
    await listed(2);
  });

  it('goes on to append while the read models are locked, and shows it all when they are released', async () => {
    lock(`read-models/${namespaceOf(LEDGERS.management.readSide, 1)}.db`);
    expect((await register('grace')).status).toBe(201);
    const behind = await service.client.get('/v1/end-users');
    expect(behind).toMatchObject({ status: 200, body: { total_count: 1 } });
    await eventually('the service says that it is not ready', async () => {
      const { status, text } = await service.client.get('/health/ready');
      return status === 503 && text.includes('read models of management');
    });
    expect(await service.client.get('/health/live')).toMatchObject({ status: 200 });
    release();
    await eventually(
      'the service is ready',
      async () => (await service.client.get('/health/ready')).status === 200,
      15_000,
    );
    await listed(2);
  });
});
