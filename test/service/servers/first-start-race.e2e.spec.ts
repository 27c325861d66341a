import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import { FirstStart } from '../../../src/features/accounts/first-start/first-start.js';
import { createApp } from '../../../src/host/assembly/application.js';
import type { EventLog } from '../../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../../src/event-sourcing/ledger.js';
import { START } from '../../../src/kernel/position.js';
import { readSettings } from '../../../src/host/settings/settings.js';
import { SimulatorProcess } from '../../support/backends/eventstoredb-simulator/simulator-process.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { cutOffFirstStart } from '../../support/harness/cut-off-first-start.js';
import { eventsUpToHead } from '../../../src/event-sourcing/event-log/events-up-to-head.js';

const REPLICAS = 4;

describeOnMongoDb('replicas that start at once on one empty log', (store) => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let server: SimulatorProcess | undefined;
  let replicas: NestExpressApplication[];

  beforeEach(() => {
    directory = makeTempDirectory();
    server = undefined;
    replicas = [];
  });

  afterEach(async () => {
    for (const replica of replicas) await replica.close();
    await server?.stop();
    directory.remove();
  });

  /** Gives the settings that all replicas have. */
  async function overOneLog(form: string): Promise<Readonly<Record<string, string>>> {
    if (form === 'embedded') return { DATA_DIR: directory.path };
    server = await SimulatorProcess.start({ pace: 'real' });
    return {
      EVENTSTOREDB_CONNECTION_STRING: server.connectionString,
      MONGODB_URI: store().freshUri(),
    };
  }

  it.each([
    ['embedded', 'make'],
    ['cluster', 'make'],
    ['embedded', 'when all of an earlier attempt were killed after they reserved a key, make'],
    ['cluster', 'when all of an earlier attempt were killed after they reserved a key, make'],
  ])('%s: %s one account and one key, which one of them tells', async (form, history) => {
    const environment = await overOneLog(form);
    const killed = history === 'make' ? 0 : REPLICAS;
    await Promise.all(Array.from({ length: killed }, () => cutOffFirstStart(environment)));
    const settings = readSettings(environment);
    for (let replica = 0; replica < REPLICAS; replica += 1) {
      replicas.push(await createApp(settings, pino({ level: 'silent' })));
    }
    const printed = await Promise.all(
      replicas.map((replica) => replica.get(FirstStart).run(undefined)),
    );
    expect(printed.filter((key) => key !== null)).toEqual([expect.stringMatching(/^mk-v1-/)]);
    const types: string[] = [];
    const reserved: string[] = [];
    const log = replicas[0]?.get<EventLog>(MANAGEMENT.log);
    for await (const { events } of log ? eventsUpToHead(log, START) : []) {
      for (const { type } of events) {
        (type === 'ManagementKeyReserved' ? reserved : types).push(type);
      }
    }
    expect(types.toSorted()).toEqual([
      'AccountCreated',
      'ManagementKeyCreated',
      'MemberAdded',
      'WorkspaceCreated',
    ]);
    expect(reserved.length).toBeGreaterThan(killed);
    expect(reserved.length).toBeLessThanOrEqual(killed + REPLICAS);
  });
});
