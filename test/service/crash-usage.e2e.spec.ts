import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomInt } from 'node:crypto';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { freePort } from '../support/backends/server-process.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { eventually } from '../support/harness/eventually.js';
import type { ServiceProcess } from '../support/harness/service-process.js';
import { stageOfAll } from '../support/harness/stage.js';
import { UsageLoad } from '../support/harness/usage-load.js';
import { expectSameUsage, type ModelKey, modelKey } from '../support/harness/usage-model.js';

/** `CRASH_ROUNDS=100` kills more often than continuous integration has time for. */
const KILLS = Number(process.env.CRASH_ROUNDS ?? 4);
const CONNECTIONS = 32;
const MOST_REPORTS_OF_A_ROUND = 80;
const WITHIN_MS = 120_000;

describe('a service killed again and again while usage is reported', () => {
  let service: ServiceProcess;
  let settings: Record<string, string>;
  let load: UsageLoad;
  let keys: ModelKey[];

  // The load ends before its service.
  afterAll(() => load.stop());
  const { backends, start } = stageOfAll();

  beforeAll(async () => {
    settings = {
      BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-'),
      LOG_LEVEL: 'warn',
      PORT: String(await freePort()),
      RATE_LIMIT_USAGE: 'off',
    };
    service = await start(settings);
    keys = [];
    for (const reset of [null, 'daily', 'weekly', 'monthly'] as const) {
      keys.push(await modelKey(service.client, '1000', reset));
    }
    const { client } = service;
    load = new UsageLoad(keys, () => Array.from({ length: randomInt(1, 4) }, () => client));
  });

  const expectAllOnce = (): Promise<void> =>
    expectSameUsage(service.client, load.model, keys, Date.now());

  it(
    'counts every report once, each of which is sent until it is answered',
    async () => {
      load.start(CONNECTIONS);
      for (let kills = 0; kills < KILLS; kills += 1) {
        const until = load.answered + randomInt(MOST_REPORTS_OF_A_ROUND);
        await eventually('reports are answered', () => load.answered >= until, 30_000);
        await service.stop('SIGKILL');
        service = await start(settings);
      }
      await load.stop();
      await expectAllOnce();
    },
    WITHIN_MS,
  );

  it(
    'shows the same after its read models were folded again',
    async () => {
      const verified = await keyledgerHere(backends.settings, 'projections', 'verify', '--json');
      expect(verified).toMatchObject({ code: 0 });
      const rebuilt = await keyledgerHere(backends.settings, 'projections', 'rebuild', 'usage');
      expect(rebuilt).toMatchObject({ code: 0 });
      await service.stop();
      service = await start(settings);
      await expectAllOnce();
    },
    WITHIN_MS,
  );
});
