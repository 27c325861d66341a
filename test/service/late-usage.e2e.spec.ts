import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { namespaceOf } from '../../src/event-sourcing/projections/generations.js';
import { LEDGERS } from '../../src/host/ledgers/ledgers.js';
import { createKey, type OneKey } from '../support/harness/api-keys.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import type { Answer } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import type { ServiceProcess } from '../support/harness/service-process.js';
import { stageOfEach } from '../support/harness/stage.js';

const embedded = onlyOn('embedded', 'a lock on a file holds the fold of usage');

/** Read models that stand still are waited for until 5 s after they last moved. */
const WAITED_MS = 4_000;

embedded.describe('a service whose read models of usage are out of date', () => {
  const { backends, start } = stageOfEach();
  let service: ServiceProcess;
  let hash: string;
  let lock: Database.Database;

  beforeEach(async () => {
    service = await start();
    hash = (await createKey(service.client)).data.hash;
    const file = `read-models/${namespaceOf(LEDGERS.usage.readSide, 1)}.db`;
    lock = new Database(join(backends.dataDir, file), { timeout: 5_000 });
  });

  afterEach(() => void lock.close());

  const report = (id: string = randomUUID()): Promise<Answer> =>
    service.client.send('PUT', `/v1/usage-reports/${id}`, {
      body: { records: [{ key_hash: hash, cost: 1 }] },
    });

  async function lagSeconds(): Promise<number> {
    const labels = { read_models: 'usage' };
    return (await scrape(service.client)).value('keyledger_read_models_lag_seconds', labels) ?? NaN;
  }

  it('lets new reports wait while they may catch up, then takes them by the log alone, and counts all', async () => {
    const known = randomUUID();
    expect((await report(known)).status).toBe(201);
    await eventually('all is counted', async () => {
      const { usage } = (await service.client.get<OneKey>(`/v1/keys/${hash}`)).body.data;
      return usage === 1;
    });
    lock.exec('BEGIN IMMEDIATE');
    const held = performance.now();
    expect((await report()).status).toBe(201);
    await eventually('the first look at it says for how long', async () => {
      return performance.now() - held > 1_500 && (await lagSeconds()) > 1;
    });
    let isAnswered = false;
    const waiting = report().finally(() => (isAnswered = true));
    expect((await report(known)).status).toBe(200);
    expect((await service.client.get(`/v1/usage-reports/${known}`)).status).toBe(200);
    await service.client.patch(`/v1/keys/${hash}`, { disabled: true });
    const verified = await service.client.post('/v1/keys/verify', { hash });
    expect(verified.body).toMatchObject({ data: { code: 'DISABLED' } });
    expect(isAnswered).toBe(false);
    expect((await waiting).status).toBe(201);
    expect(performance.now() - held).toBeGreaterThan(WAITED_MS);
    expect((await report()).status).toBe(201);
    lock.exec('ROLLBACK');
    await eventually('all is counted', async () => (await lagSeconds()) === 0, 20_000);
    const counted = await service.client.get<OneKey>(`/v1/keys/${hash}`);
    expect(counted.body.data.usage).toBe(4);
  });
});
