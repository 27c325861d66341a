import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keyledger } from '../support/harness/command-line.js';
import { runServiceToItsEnd } from '../support/harness/service-process.js';
import { makeTempDirectory } from '../support/harness/temp-directory.js';

const CURE = 'run npm rebuild better-sqlite3';

describe('with a driver of SQLite that was built for another Node', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let settings: { DATA_DIR: string; NODE_OPTIONS: string };

  beforeEach(() => {
    directory = makeTempDirectory();
    const preloaded = resolve('test/support/harness/driver-of-another-node.mjs');
    settings = {
      DATA_DIR: join(directory.path, 'data'),
      NODE_OPTIONS: `--import ${preloaded}`,
    };
  });

  afterEach(() => {
    directory.remove();
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
