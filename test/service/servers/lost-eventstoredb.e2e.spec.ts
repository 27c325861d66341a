import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mintKeyString } from '../../../src/kernel/key-string.js';
import { SimulatorProcess } from '../../support/backends/eventstoredb-simulator/simulator-process.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { commandsOf, run } from '../../project/docs/commands.js';
import { eventually } from '../../support/harness/eventually.js';
import {
  runServiceToItsEnd,
  type ServiceProcess,
  startService,
} from '../../support/harness/service-process.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';

/** The walk starts seven processes, one after the other. */
const WALK_MS = 90_000;

describeOnMongoDb('a walk through the runbook for a lost EventStoreDB', (store) => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let server: SimulatorProcess;
  let settings: Record<string, string>;
  let service: ServiceProcess;

  const register = (user: string) => service.client.post('/v1/end-users', { user });

  async function count(): Promise<number> {
    const { body } = await service.client.get<{ total_count: number }>('/v1/end-users');
    return body.total_count;
  }

  beforeEach(async () => {
    directory = makeTempDirectory();
    server = await SimulatorProcess.start();
    settings = {
      BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-'),
      EVENTSTOREDB_CONNECTION_STRING: server.connectionString,
      MONGODB_URI: store().freshUri(),
    };
    service = await startService(settings);
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
    await server.stop();
    directory.remove();
  });

  it('that comes back with its data: nothing is to be done, and nothing is lost', async () => {
    await register('ada');
    await server.kill();
    expect(await register('bob')).toMatchObject({ status: 503 });
    await server.restart();
    await eventually('changes go on', async () => (await register('bob')).status === 201, 20_000);
    expect(await count()).toBe(2);
  });

  it(
    'whose data are gone: an empty one is refused, and the backup serves',
    async () => {
      const backup = join(directory.path, 'backup');
      await register('ada');
      copyFileSync(server.file, backup);
      await register('bob');
      expect(await count()).toBe(2);
      await service.stop();
      await server.wipe();
      const empty = await runServiceToItsEnd(settings);
      expect(empty.code).toBe(1);
      expect(empty.output).toContain('the event log is empty, but ');
      await server.kill();
      copyFileSync(backup, server.file);
      await server.restart();

      const commands = commandsOf('docs/operations/runbooks/recover-from-a-lost-eventstoredb.md');
      expect(commands).toHaveLength(2);
      const [rebuild = '', verify = ''] = commands;
      const stuck = await run(verify, settings);
      expect(stuck).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('does not hold position'),
      });
      expect(await run(rebuild, settings)).toMatchObject({ code: 0 });
      service = await startService(settings);
      expect(await count()).toBe(1);
      expect(await run(verify, settings)).toMatchObject({ code: 0 });
    },
    WALK_MS,
  );
});
