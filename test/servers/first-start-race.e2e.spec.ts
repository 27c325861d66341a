import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import { FirstStart } from '../../src/accounts/first-start/first-start.js';
import { createApp } from '../../src/bootstrap.js';
import { EVENT_LOG, type EventLog } from '../../src/event-log/event-log.js';
import { START } from '../../src/kernel/position.js';
import { readSettings } from '../../src/settings/settings.js';
import { SimulatorProcess } from '../backends/eventstoredb-simulator/simulator-process.js';
import { makeTempDirectory } from '../harness/temp-directory.js';

const REPLICAS = 4;

describe('replicas that start at once on one empty log', () => {
  let directories: ReturnType<typeof makeTempDirectory>[];
  let server: SimulatorProcess | undefined;
  let replicas: NestExpressApplication[];

  beforeEach(() => {
    directories = [];
    server = undefined;
    replicas = [];
  });

  afterEach(async () => {
    for (const replica of replicas) await replica.close();
    await server?.stop();
    for (const directory of directories) directory.remove();
  });

  function directory(): string {
    const made = makeTempDirectory();
    directories.push(made);
    return made.path;
  }

  /** Gives the settings of each replica. */
  async function overOneLog(kind: string): Promise<Record<string, string>[]> {
    const each = (settings: () => Record<string, string>): Record<string, string>[] =>
      Array.from({ length: REPLICAS }, settings);
    if (kind === 'embedded') {
      const shared = directory();
      return each(() => ({ DATA_DIR: shared }));
    }
    server = await SimulatorProcess.start({ pace: 'real' });
    const { connectionString: EVENTSTOREDB_CONNECTION_STRING } = server;
    return each(() => ({ EVENTSTOREDB_CONNECTION_STRING, DATA_DIR: directory() }));
  }

  it.each(['embedded', 'EventStoreDB'])(
    'make one account and one key, which one of them tells: %s',
    async (kind) => {
      for (const settings of await overOneLog(kind)) {
        replicas.push(await createApp(readSettings(settings), pino({ level: 'silent' })));
      }
      const printed = await Promise.all(
        replicas.map((replica) => replica.get(FirstStart).run(undefined)),
      );
      expect(printed.filter((key) => key !== null)).toEqual([expect.stringMatching(/^mk-v1-/)]);
      const types: string[] = [];
      for await (const { events } of replicas[0]?.get<EventLog>(EVENT_LOG).readAll(START) ?? []) {
        types.push(...events.map(({ type }) => type));
      }
      expect(types.toSorted()).toEqual([
        'AccountCreated',
        'ManagementKeyCreated',
        'MemberAdded',
        'WorkspaceCreated',
      ]);
    },
  );
});
