import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { keyledger } from '../support/harness/command-line.js';
import { onlyOn } from '../support/harness/only-on.js';
import {
  runServiceToItsEnd,
  type ServiceProcess,
  startService,
} from '../support/harness/service-process.js';
import { makeTempDirectory } from '../support/harness/temp-directory.js';

const embedded = onlyOn('embedded', 'services whose data is all on servers use no data directory');
const CREATE = ['accounts', 'create', '--name', 'Acme', '--owner', 'ada'];

embedded.describe('a data directory that others can write', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let dataDir: string;
  let service: ServiceProcess | undefined;

  async function start(): Promise<ServiceProcess> {
    service = await startService({ DATA_DIR: dataDir });
    return service;
  }

  beforeEach(() => {
    directory = makeTempDirectory();
    dataDir = join(directory.path, 'data');
    mkdirSync(dataDir);
    service = undefined;
  });

  afterEach(async () => {
    await service?.stop('SIGKILL');
    directory.remove();
  });

  it('is refused at a first start, by the command line too, with the cure, and nothing is made', async () => {
    chmodSync(dataDir, 0o777);
    const cure = `chmod o-w ${dataDir}, or set DATA_DIR to a directory below it`;
    const { code, output } = await runServiceToItsEnd({ DATA_DIR: dataDir });
    expect(code).toBe(1);
    expect(output.split('\n').filter((line) => line.includes(cure))).toHaveLength(1);
    const created = await keyledger({ DATA_DIR: dataDir }, ...CREATE);
    expect(created.code).toBe(1);
    expect(created.stderr).toContain(cure);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it.each([
    ['belongs to a group that may write', 0o775],
    ['has the sticky bit', 0o1777],
  ])('is not meant where it %s', async (_, mode) => {
    chmodSync(dataDir, mode);
    const { logged } = await start();
    expect(logged().filter(({ msg }) => String(msg).includes('chmod'))).toEqual([]);
  });

  it('is served when it has a log already, with a warning at each start', async () => {
    await (await start()).stop();
    chmodSync(dataDir, 0o777);
    for (let starts = 0; starts < 2; starts += 1) {
      const started = await start();
      const warnings = started
        .logged()
        .filter(({ msg }) => String(msg).includes(`chmod o-w ${dataDir}`));
      expect(warnings).toEqual([expect.objectContaining({ level: 40 })]);
      await started.stop();
    }
    expect(await keyledger({ DATA_DIR: dataDir }, ...CREATE)).toMatchObject({ code: 0 });
  });
});
