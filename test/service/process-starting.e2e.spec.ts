import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { VERSION } from '../../src/kernel/version.js';
import { freePort } from '../support/backends/server-process.js';
import { freshBackends } from '../support/harness/backends.js';
import { keyledger } from '../support/harness/command-line.js';
import { eventually } from '../support/harness/eventually.js';
import { HttpClient } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import {
  launchService,
  runServiceToItsEnd,
  type ServiceProcess,
} from '../support/harness/service-process.js';
import { stageOfEach } from '../support/harness/stage.js';
import { makeTempDirectory } from '../support/harness/temp-directory.js';

const embedded = onlyOn(
  'embedded',
  'services whose data is all on servers share nothing in a data directory',
);

const READY_WITHIN_MS = 20_000;

describe('a start', () => {
  const { backends, start } = stageOfEach();

  it('with port 0 picks a free port and says where it listens', async () => {
    const other = await freshBackends();
    try {
      const first = await start({ PORT: '0' });
      const second = await start({ ...other.settings, PORT: '0' });
      expect(second.address).not.toBe(first.address);
      for (const { client } of [first, second]) {
        expect(await client.get('/health/ready')).toMatchObject({ status: 200 });
      }
    } finally {
      await other.dispose();
    }
  });

  it('says no address before it is ready', async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    for (const start of ['the first', 'another']) {
      const launched = launchService({ ...backends.settings, PORT: String(port) });
      try {
        const said = () => launched.output().includes(String(port));
        await eventually(`${start} start says its address`, said, READY_WITHIN_MS);
        const answer = await new HttpClient(address).get('/health/ready');
        expect({ start, status: answer.status }).toEqual({ start, status: 200 });
        expect(await launched.logs(/^ready$/)).toMatchObject({ address });
      } finally {
        await launched.stop();
      }
    }
  });

  it('says which build it is, and warns once of a variable that was meant to be a setting', async () => {
    const { logged } = await start({ OPERATION_PORT: '1', HOSTNAME: 'a' });
    const commit = expect.stringMatching(/^([0-9a-f]{40}|unknown)$/) as unknown;
    expect(logged()[0]).toMatchObject({ msg: 'starting', version: VERSION, commit });
    expect(logged().filter(({ level }) => level === 40)).toMatchObject([
      { msg: 'OPERATION_PORT is not a setting; did you mean OPERATIONS_PORT?' },
    ]);
  });

  it('makes a data directory that does not exist', async () => {
    const service = await start({ DATA_DIR: `${backends.dataDir}/not/there/yet` });
    expect(await service.client.get('/v1/end-users')).toMatchObject({ status: 200 });
  });

  embedded.it('makes what its owner alone may read, whatever is usual there', async () => {
    const dataDir = join(backends.dataDir, 'made-by-the-service');
    const service = await start({ DATA_DIR: dataDir }, ['sh', '-c', 'umask 022; exec "$@"', 'sh']);
    const registered = await service.client.post('/v1/end-users', { user: 'ada' });
    expect(registered).toMatchObject({ status: 201 });
    expect(await service.client.get('/v1/end-users')).toMatchObject({ body: { total_count: 1 } });
    const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
    expect(files).not.toEqual([]);
    const open = ['', ...files].filter((file) => (statSync(join(dataDir, file)).mode & 0o077) > 0);
    expect(open).toEqual([]);
  });

  embedded.it(
    'is refused on a data directory that another service has, and the other goes on',
    async () => {
      const first = await start();
      const DATA_DIR = relative('', backends.dataDir);
      const second = await runServiceToItsEnd({ ...backends.settings, DATA_DIR });
      expect(second.code).toBe(1);
      expect(second.output).toContain(
        `another keyledger service is running on the data directory ${backends.dataDir}\n`,
      );
      expect(second.output).not.toContain('    at ');
      expect(await first.client.post('/v1/end-users', { user: 'ada' })).toMatchObject({
        status: 201,
      });
      expect(await first.client.get('/v1/end-users')).toMatchObject({ body: { total_count: 1 } });
    },
  );

  it('is possible on a data directory whose service was killed', async () => {
    const first = await start();
    await first.stop('SIGKILL');
    const second = await start();
    const client = second.client.as(first.managementKey);
    expect(await client.get('/v1/end-users')).toMatchObject({ status: 200 });
  });

  it.each(['HOST', 'OPERATIONS_HOST'])(
    'is refused with a %s that does not resolve in one line that names the host, before the first key is made',
    async (name) => {
      const settings = { OPERATIONS_PORT: '0', [name]: 'no-such-host.invalid' };
      const { code, output } = await runServiceToItsEnd({ ...backends.settings, ...settings });
      expect(code).toBe(1);
      expect(output).toMatch(/keyledger cannot start:\n.*no-such-host\.invalid\n$/);
      expect(output).not.toContain('mk-v1-');
    },
  );

  it('warns once where the first management key that is set has no effect', async () => {
    const first = await start();
    await first.stop();
    const key = mintKeyString('mk-v1-');
    const second = await start({ BOOTSTRAP_MANAGEMENT_KEY: key });
    await second.stop();
    const warningsOf = (service: ServiceProcess): unknown[] =>
      service.logged().filter(({ msg }) => String(msg).startsWith('BOOTSTRAP_MANAGEMENT_KEY'));
    expect(warningsOf(second)).toEqual([expect.objectContaining({ level: 40 })]);
    expect(second.output()).not.toContain(key);
    const third = await start({ BOOTSTRAP_MANAGEMENT_KEY: first.managementKey });
    expect(warningsOf(third)).toEqual([]);
  });

  embedded.it('is needed of a service that loses a thread after another build', async () => {
    const copy = makeTempDirectory();
    try {
      cpSync('dist', join(copy.path, 'dist'), { recursive: true });
      symlinkSync(resolve('node_modules'), join(copy.path, 'node_modules'));
      const preloaded = resolve('test/support/harness/threads-end-on-signal.mjs');
      const built = join(copy.path, 'dist/main.js');
      const through = ['sh', '-c', 'exec "$1" "$0"', built];
      const service = await start({ NODE_OPTIONS: `--import ${preloaded}` }, through);
      utimesSync(join(copy.path, 'dist/projector-thread.js'), 1, 1);
      expect(await service.stop('SIGUSR2')).toBe(1);
      expect(service.logged().filter(({ level }) => level === 60)).toMatchObject([
        { msg: 'the service ends: another build has replaced its files. Start it again' },
      ]);
    } finally {
      copy.remove();
    }
  });

  it('may be called off as soon as it has begun, and ends with 0', async () => {
    const service = launchService(backends.settings);
    await once(service.child.stdout ?? service.child, 'data');
    expect(await service.stop('SIGTERM')).toBe(0);
  });

  describe('on a port that is taken', () => {
    const taken = createServer();
    let port: number;

    beforeEach(async () => {
      taken.listen(0, '127.0.0.1');
      await once(taken, 'listening');
      port = (taken.address() as AddressInfo).port;
    });

    afterEach(() => {
      taken.close();
    });

    it('ends with exit code 1, and names the port and the settings', async () => {
      const { code, output } = await runServiceToItsEnd({
        ...backends.settings,
        PORT: String(port),
      });
      expect(code).toBe(1);
      expect(output).toMatch(/^.*HOST and PORT: .*already in use.*$/m);
      expect(output).toContain(String(port));
      expect(output).not.toContain('    at ');
    });

    it('does not lose the first management key', async () => {
      const failed = await runServiceToItsEnd({ ...backends.settings, PORT: String(port) });
      const next = await start();
      const shown = /mk-v1-[0-9a-f]{64}/.exec(failed.output + next.output())?.[0] ?? 'none';
      const list = await next.client.as(shown).get('/v1/end-users');
      expect(list.status).toBe(200);
    });
  });
});
const CREATE = ['accounts', 'create', '--name', 'Acme', '--owner', 'ada'];

embedded.describe('a data directory that others can write', () => {
  const stage = stageOfEach();
  let dataDir: string;

  beforeEach(() => {
    dataDir = join(stage.backends.dataDir, 'data');
    mkdirSync(dataDir);
  });

  const start = (): Promise<ServiceProcess> => stage.start({ DATA_DIR: dataDir });

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
