import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keyledger } from '../harness/command-line.js';
import { runServiceToItsEnd } from '../harness/service-process.js';
import { makeTempDirectory } from '../harness/temp-directory.js';

describe('settings that the service cannot start with', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let dataDir: string;

  beforeEach(() => {
    directory = makeTempDirectory();
    dataDir = join(directory.path, 'data');
  });

  afterEach(() => {
    directory.remove();
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

  it('end it with exit code 1 and one line for each, with the variable, what it got and what it takes', async () => {
    const { code, output } = await runServiceToItsEnd({ DATA_DIR: dataDir, ...wrong, ...secret });
    expect(code).toBe(1);
    const lines = output.trimEnd().split('\n');
    for (const [name, value] of Object.entries(wrong)) {
      const [line, ...others] = lines.filter((text) => text.startsWith(name));
      expect(line).toMatch(/; takes \S+/);
      expect(line).toContain(JSON.stringify(value));
      expect(others).toEqual([]);
    }
    for (const name of Object.keys(secret)) {
      const [line, ...others] = lines.filter((text) => text.startsWith(name));
      expect(line).toMatch(/; takes \S+/);
      expect(others).toEqual([]);
    }
    const faults = Object.keys(wrong).length + Object.keys(secret).length;
    expect(lines).toHaveLength(1 + faults);
  });

  it.each(Object.entries(secret))('never show the value of %s', async (name, value) => {
    const { code, output } = await runServiceToItsEnd({ DATA_DIR: dataDir, [name]: value });
    expect(code).toBe(1);
    expect(output).toContain(name);
    expect(output).not.toContain(value);
    expect(output).not.toContain('hunter2');
  });

  it.each([
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:hunter2%@log.example'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:hunter2@log.example?tlsCAFile=/none/hunter2'],
    ['MONGODB_URI', 'mongodb://root:hunter2@store.example/hunter.2'],
    ['MONGODB_URI', 'mongodb://root:hunter2@store.example/?colour=hunter2'],
  ])('name %s, whatever is wrong with it, and do not show it', async (name, value) => {
    const { code, output } = await runServiceToItsEnd({ DATA_DIR: dataDir, [name]: value });
    expect(code).toBe(1);
    expect(output).toContain(name);
    expect(output).not.toMatch(/hunter/);
  });

  it('include an unknown variable that begins with KEYLEDGER_', async () => {
    const unknown = { KEYLEDGER_PROT: '3000' };
    const { code, output } = await runServiceToItsEnd({ DATA_DIR: dataDir, ...unknown });
    expect(code).toBe(1);
    expect(output).toContain('KEYLEDGER_PROT');
  });

  it('leave nothing behind', async () => {
    await runServiceToItsEnd({ DATA_DIR: dataDir, LOG_LEVEL: 'loud' });
    expect(existsSync(dataDir)).toBe(false);
  });

  it('fail a command of the command line in the same words', async () => {
    const settings = { DATA_DIR: dataDir, LOG_LEVEL: 'loud', KEYLEDGER_PROT: '1' };
    const result = await keyledger(settings, 'accounts', 'list', '--json');
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/LOG_LEVEL: got "loud"; takes /);
    expect(result.stderr).toContain('KEYLEDGER_PROT');
  });
});
