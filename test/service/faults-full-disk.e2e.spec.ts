import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { namespaceOf } from '../../src/event-sourcing/projections/generations.js';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { allPages } from '../support/harness/all-pages.js';
import { eventually } from '../support/harness/eventually.js';
import { limitFileSize } from '../support/harness/file-faults.js';
import type { Answer } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import type { ServiceProcess } from '../support/harness/service-process.js';
import { stageOfEach } from '../support/harness/stage.js';
import { LEDGERS } from '../../src/host/ledgers/ledgers.js';

const embedded = onlyOn('embedded', 'both are files, of which none may grow');

/** Projections and readiness are tried again with pauses of up to 10 s. */
const RECOVERED_WITHIN_MS = 15_000;
const ENOUGH_TO_FILL_THE_DISK = 5_000;

const SETTINGS = {
  BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-'),
  READ_YOUR_WRITES_TIMEOUT: '200ms',
};

embedded.describe('a service whose disk is full', () => {
  const { backends, start } = stageOfEach();
  let service: ServiceProcess;
  let acknowledged: string[];

  function register(user: string): Promise<Answer> {
    return service.client.post('/v1/end-users', { user });
  }

  function limit(bytes: number | 'unlimited'): Promise<void> {
    return limitFileSize(service.child.pid ?? 0, bytes);
  }

  /**
   * Registers and lists until the disk is full. @returns the first answer of a registration that
   * failed.
   */
  async function fillTheDisk(): Promise<Answer> {
    for (let number = 0; number < ENOUGH_TO_FILL_THE_DISK; number++) {
      const user = `filler-${number}`;
      const answer = await register(user);
      if (answer.status !== 201) return answer;
      acknowledged.push(user);
      // A read lets the events be folded at once instead of in larger batches.
      await service.client.get('/v1/end-users?limit=1');
    }
    throw new Error('the disk never was full');
  }

  async function expectNothingLost(): Promise<void> {
    // One list waits for no more than 200 ms, for a nicer thread.
    await eventually('the last one is listed', async () => {
      const { body } = await service.client.get<{ total_count: number }>('/v1/end-users?limit=1');
      return body.total_count >= acknowledged.length;
    });
    const { items, total } = await allPages<{ user: string }>(service.client, '/v1/end-users');
    expect(items.map(({ user }) => user)).toEqual(acknowledged);
    expect(total).toBe(acknowledged.length);
  }

  function ready(): Promise<unknown> {
    const look = async (): Promise<boolean> =>
      (await service.client.get('/health/ready')).status === 200;
    return eventually('the service is ready', look, RECOVERED_WITHIN_MS);
  }

  beforeEach(async () => {
    service = await start(SETTINGS);
    acknowledged = [];
    for (const user of ['ada', 'grace']) {
      expect((await register(user)).status).toBe(201);
      acknowledged.push(user);
    }
    // The read models must have these end users while they can still be written.
    await expectNothingLost();
  });

  it('answers writes with 503 and Retry-After, and logs that the event log cannot write', async () => {
    await limit(0);
    const { body, headers, status } = await register('too-much');
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body).toMatchObject({ error: { code: 503, message: expect.any(String) } });
    expect(JSON.stringify(body)).not.toMatch(/sqlite|disk|SQLITE/i);
    expect(await service.logs(/^event log unavailable$/)).toMatchObject({
      level: 50,
      err: { message: expect.stringMatching(/^event log unavailable: ./) },
    });
  });

  it('goes on to read, and lives', async () => {
    await limit(0);
    expect((await register('too-much')).status).toBe(503);
    await expectNothingLost();
    expect(await service.client.get('/health/live')).toMatchObject({ status: 200 });
  });

  it('takes the refused write when there is space again, without help', async () => {
    await limit(0);
    expect((await register('later')).status).toBe(503);
    const key = { name: 'later' };
    expect(await service.client.post('/v1/keys', key)).toMatchObject({ status: 503 });
    await limit('unlimited');
    expect((await register('later')).status).toBe(201);
    acknowledged.push('later');
    expect(await service.client.post('/v1/keys', key)).toMatchObject({ status: 201 });
    await ready();
    await expectNothingLost();
  });

  it('that fills up under way loses nothing it acknowledged, and recovers with its projections', async () => {
    const size = (name: string): number => statSync(join(backends.dataDir, name)).size;
    await limit(
      Math.max(
        size('events.db-wal'),
        size(`read-models/${namespaceOf(LEDGERS.management.readSide, 1)}.db-wal`),
      ) + 100_000,
    );
    expect((await fillTheDisk()).status).toBe(503);
    await limit('unlimited');
    await ready();
    await expectNothingLost();
    expect((await register('afterwards')).status).toBe(201);
    acknowledged.push('afterwards');
    await expectNothingLost();
  }, 60_000);

  it('is not ready while the read models cannot be written, and says so', async () => {
    const largest = statSync(join(backends.dataDir, 'events.db-wal')).size;
    await limit(largest + 100_000);
    await fillTheDisk();
    const { body } = await eventually('it is not ready', async () => {
      const answer = await service.client.get('/health/ready');
      return answer.status === 503 && answer.text.includes('stuck') && answer;
    });
    expect(body).toMatchObject({
      error: {
        metadata: {
          missing: expect.arrayContaining([
            { part: 'read models of management', problem: 'stuck' },
          ]),
        },
      },
    });
    await service.logs(/^read models of management are stuck$/);
  }, 60_000);

  it('and is killed then, has everything at the next start', async () => {
    await limit(statSync(join(backends.dataDir, 'events.db-wal')).size + 50_000);
    await fillTheDisk();
    await service.stop('SIGKILL');
    service = await start(SETTINGS);
    await expectNothingLost();
    await ready();
  }, 60_000);
});
