import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { keyledger } from '../support/harness/command-line.js';
import { HttpClient } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import { runServiceToItsEnd, startService } from '../support/harness/service-process.js';
import { directoryOfEach, stageOfEach } from '../support/harness/stage.js';

/** Two servers that nobody reaches. */
const NOWHERE = {
  EVENTSTOREDB_CONNECTION_STRING: 'esdb://127.0.0.1:1?tls=false',
  MONGODB_URI: 'mongodb://127.0.0.1:1/ledger',
};

describe('settings that the service cannot start with', () => {
  const directory = directoryOfEach();
  let dataDir: string;

  beforeEach(() => {
    dataDir = join(directory.path, 'data');
  });

  const wrong = {
    HOST: 'two words',
    PORT: '65536',
    RATE_LIMIT_KEY_CREATION: '600 a minute',
    READ_YOUR_WRITES_TIMEOUT: '2 seconds',
    SHUTDOWN_DELAY: '10s',
    LOG_LEVEL: 'loud',
  };

  const secret = {
    BOOTSTRAP_MANAGEMENT_KEY: 'hunter2-is-too-short',
    EVENTSTOREDB_CONNECTION_STRING: 'hunter2://admin:changeit@log.example',
    MONGODB_URI: 'hunter2://root:hunter2@store.example',
  };

  it('end it with exit code 1 and one line for each, with the variable, what it got and what it takes, never show a secret, and leave nothing behind', async () => {
    const { code, output } = await runServiceToItsEnd({ DATA_DIR: dataDir, ...wrong, ...secret });
    expect(code).toBe(1);
    expect(existsSync(dataDir)).toBe(false);
    const lines = output.trimEnd().split('\n');
    for (const [name, value] of Object.entries(wrong)) {
      const [line, ...others] = lines.filter((text) => text.startsWith(name));
      expect(line).toMatch(/; takes \S+/);
      expect(line).toContain(JSON.stringify(value));
      expect(others).toEqual([]);
    }
    for (const [name, value] of Object.entries(secret)) {
      const [line, ...others] = lines.filter((text) => text.startsWith(name));
      expect(line).toMatch(/; takes \S+/);
      expect(others).toEqual([]);
      expect(output).not.toContain(value);
    }
    expect(output).not.toContain('hunter2');
    const faults = Object.keys(wrong).length + Object.keys(secret).length;
    expect(lines).toHaveLength(1 + faults);
  });

  it.each([
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:hunter2%@log.example'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:hunter2%ff@log.example'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:hunter2@log.example:hunter'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:hunter2@log.example?colour=hunter2'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:hunter2@log.example?tls=hunter2'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:hunter2@log.example?tlsCAFile=/none/ca.pem'],
    ['MONGODB_URI', 'mongodb://root:hunter2@store.example/hunter.2'],
    ['MONGODB_URI', 'mongodb://root:hunter2@store.example/?colour=hunter2'],
  ])('name %s, whatever is wrong with it, and do not show it', async (name, value) => {
    const { code, output } = await runServiceToItsEnd({ ...NOWHERE, [name]: value });
    expect(code).toBe(1);
    expect(output).toContain(name);
    const [, option = ''] = /[?&](colour|tlsCAFile)/.exec(value) ?? [];
    expect(output).toContain(option);
    expect(
      output
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith('{')),
    ).toHaveLength(2);
    expect(output).not.toContain('    at ');
    expect(output).not.toMatch(/hunter/);
  });

  it('are one server without the other, for the service and for commands that need both', async () => {
    const { MONGODB_URI } = NOWHERE;
    const settings = { DATA_DIR: dataDir, MONGODB_URI };
    const { code, output } = await runServiceToItsEnd(settings);
    const fault =
      'EVENTSTOREDB_CONNECTION_STRING and MONGODB_URI: got only MONGODB_URI; takes both or neither';
    expect({ code, output }).toEqual({ code: 1, output: `keyledger cannot start:\n${fault}\n` });
    const command = await keyledgerHere(settings, 'accounts', 'list');
    expect(command).toMatchObject({ code: 1, stdout: '', stderr: `keyledger: ${fault}\n` });
    expect(existsSync(dataDir)).toBe(false);
  });

  it('fail a command of the command line in the same words, if it uses them', async () => {
    const settings = { DATA_DIR: dataDir, QUOTA_MEMBERS: 'many', LOG_LEVEL: 'loud' };
    const add = ['members', 'add', '--account', 'a', '--user', 'ada'];
    const result = await keyledgerHere({ ...settings, KEYLEDGER_PROT: '1' }, ...add);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/QUOTA_MEMBERS: got "many"; takes /);
    expect(result.stderr).toContain('KEYLEDGER_PROT');
    expect(result.stderr).not.toContain('LOG_LEVEL');
    expect(await keyledgerHere(settings, 'accounts', 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no event log'),
    });
  });
});

describe('a secret in a file', () => {
  const directory = directoryOfEach();
  let dataDir: string;

  beforeEach(() => {
    dataDir = join(directory.path, 'data');
  });

  it('sets the first management key, and is told by nobody', async () => {
    const key = mintKeyString('mk-v1-');
    const path = join(directory.path, 'key');
    writeFileSync(path, `${key}\n`);
    const settings = { DATA_DIR: dataDir, BOOTSTRAP_MANAGEMENT_KEY_FILE: path };
    const service = await startService({ ...settings, LOG_LEVEL: 'trace' });
    try {
      const created = await new HttpClient(service.address, key).post('/v1/keys', {
        name: 'first',
      });
      expect(created.status).toBe(201);
      expect(await keyledgerHere(settings, 'accounts', 'list', '--json')).toMatchObject({
        code: 0,
      });
    } finally {
      await service.stop();
    }
    expect(service.output()).not.toContain(key);
  });

  it('that cannot be read, or stands beside its variable, ends the service, and a command that uses it', async () => {
    const missing = join(directory.path, 'missing');
    const settings = {
      DATA_DIR: dataDir,
      BOOTSTRAP_MANAGEMENT_KEY: 'hunter2-and-more-of-32-characters',
      BOOTSTRAP_MANAGEMENT_KEY_FILE: missing,
      EVENTSTOREDB_CONNECTION_STRING: NOWHERE.EVENTSTOREDB_CONNECTION_STRING,
      MONGODB_URI_FILE: missing,
    };
    const lines = [
      'BOOTSTRAP_MANAGEMENT_KEY and BOOTSTRAP_MANAGEMENT_KEY_FILE: both are set; only one of them may be',
      `MONGODB_URI_FILE: the file "${missing}" does not exist`,
    ].join('\n');
    const { code, output } = await runServiceToItsEnd(settings);
    expect({ code, output }).toEqual({ code: 1, output: `keyledger cannot start:\n${lines}\n` });
    const told = await keyledgerHere(settings, 'accounts', 'list');
    expect(told).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `keyledger: ${lines.split('\n')[1]}\n`,
    });
    expect(existsSync(dataDir)).toBe(false);
  });
});

const embedded = onlyOn('embedded', 'both use the driver whose objects are counted');

embedded.describe(
  'the objects of the SQLite driver, whose collection can end a process of Node 24',
  () => {
    const { backends, start } = stageOfEach();
    let environment: Record<string, string>;

    beforeEach(() => {
      environment = {
        ...backends.settings,
        DRIVER_CENSUS: join(backends.dataDir, 'census'),
        NODE_OPTIONS: `--import ${pathToFileURL(resolve('test/support/harness/driver-census.mjs')).href}`,
      };
    });

    interface Census {
      readonly made: number;
      readonly collected: number;
    }

    /** Gives the census of each thread of the process. */
    function censuses(): Census[] {
      const files = readdirSync(backends.dataDir).filter((name) => name.startsWith('census.'));
      return files.map(
        (name) => JSON.parse(readFileSync(join(backends.dataDir, name), 'utf8')) as Census,
      );
    }

    function sumOf(all: readonly Census[]): Census {
      return {
        made: all.reduce((sum, { made }) => sum + made, 0),
        collected: all.reduce((sum, { collected }) => sum + collected, 0),
      };
    }

    it('all outlive a run of the command line, which has closed them', async () => {
      const args = ['accounts', 'create', '--name', 'Acme', '--owner', 'ada'];
      expect(await keyledger(environment, ...args)).toMatchObject({ code: 0 });
      const { made, collected } = sumOf(censuses());
      expect(made).toBeGreaterThan(10);
      expect(collected).toBe(0);
    });

    it('all outlive a service that has written, read and told that it is ready', async () => {
      const service = await start(environment);
      expect(await service.client.post('/v1/end-users', { user: 'ada' })).toMatchObject({
        status: 201,
      });
      for (const path of ['/v1/end-users', '/v1/end-users?user=ada', '/health/ready']) {
        expect(await service.client.get(path)).toMatchObject({ status: 200 });
      }
      expect(await service.stop()).toBe(0);
      const all = censuses();
      expect(all.length).toBeGreaterThanOrEqual(2);
      const { made, collected } = sumOf(all);
      expect(made).toBeGreaterThan(10);
      expect(collected).toBe(0);
    });
  },
);

const CURE = 'run npm rebuild better-sqlite3';

describe('with a driver of SQLite that was built for another Node', () => {
  const directory = directoryOfEach();
  let settings: { DATA_DIR: string; NODE_OPTIONS: string };

  beforeEach(() => {
    const preloaded = resolve('test/support/harness/driver-of-another-node.mjs');
    settings = {
      DATA_DIR: join(directory.path, 'data'),
      NODE_OPTIONS: `--import ${preloaded}`,
    };
  });

  it('the service does not start, says what helps in one line, and makes nothing', async () => {
    const { code, output } = await runServiceToItsEnd(settings);
    expect(code).toBe(1);
    const [words, ...more] = output.split('\n').filter((line) => line.includes('better-sqlite3'));
    expect(words).toContain(CURE);
    expect(more).toEqual([]);
    expect(existsSync(settings.DATA_DIR)).toBe(false);
  });

  it('the command line says what helps in one line', async () => {
    const result = await keyledger(settings, 'accounts', 'create', '--name', 'a', '--owner', 'o');
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(CURE) });
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
  });
});
