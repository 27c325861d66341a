import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, expect, it, jest } from '@jest/globals';
import { installed } from '../../support/harness/installed.js';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import { runningApp, type TestAccount } from '../../support/harness/running-app.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';

const DOCUMENT = resolve('docs/openapi.yaml');
const GENERATORS = installed('client-generators') ?? '';
const TYPESCRIPT = [
  ...['--ignoreConfig', '--strict', '--module', 'nodenext'],
  ...['--target', 'es2022', '--lib', 'es2022,dom'],
];

/** The answers that each client gets from its six calls. */
const EXPECTED = {
  expires_at: '2030-01-01T00:00:00.000Z',
  limit_reset: 'monthly',
  external_user: 'ada',
  has_year: true,
  limit: null,
  total_count: 1,
  code: 'WRONG_WORKSPACE',
  valid: false,
  actions: ['key.limit-changed', 'key.created'],
};

jest.setTimeout(120_000);

onlyWhereInstalled('client-generators')('a client that is generated from docs/openapi.yaml', () => {
  const service = runningApp();
  const directory = makeTempDirectory();
  let account: TestAccount;

  beforeEach(async () => {
    account = await service.openAccount();
  });

  afterAll(() => directory.remove());

  /** Runs a program that finds the generators, the generated clients and the service. @returns its output. */
  async function run(program: string, args: string[], more = {}): Promise<string> {
    const { stdout } = await promisify(execFile)(program, args, {
      cwd: directory.path,
      env: {
        PATH: process.env['PATH'],
        PYTHONPATH: `${GENERATORS}:${join(directory.path, 'python')}`,
        ADDRESS: service.address,
        KEY: account.managementKey,
        ...more,
      },
      maxBuffer: Infinity,
    });
    return stdout;
  }

  const calls = (file: string): string => resolve('test/service/clients', file);

  it('by openapi-python-client makes its calls', async () => {
    const to = ['--output-path', 'python/keyledger', '--meta', 'none'];
    const generator = ['-m', 'openapi_python_client', 'generate', '--path', DOCUMENT, ...to];
    await run('python3', generator);
    const got = await run('python3', [calls('calls-of-openapi-python-client.py')]);
    expect(JSON.parse(got)).toEqual(EXPECTED);
  });

  onlyWhereInstalled('java')('by openapi-generator-cli', () => {
    it('for TypeScript compiles and makes its calls', async () => {
      const jar = join(GENERATORS, 'openapi_generator_cli/openapi-generator.jar');
      const options = ['-g', 'typescript-fetch', '--additional-properties=importFileExtension=.js'];
      const generator = ['-jar', jar, 'generate', '-i', DOCUMENT, '-o', 'typescript', ...options];
      await run(installed('java') ?? 'java', generator);
      const client = join(directory.path, 'typescript');
      writeFileSync(join(client, 'package.json'), JSON.stringify({ type: 'module' }));
      const to = ['--rootDir', client, '--outDir', join(client, 'compiled')];
      const from = join(client, 'index.ts');
      await run(resolve('node_modules/.bin/tsc'), [...TYPESCRIPT, ...to, from]);
      const got = await run(process.execPath, [calls('calls-of-typescript-fetch.mjs')], {
        CLIENT: join(client, 'compiled/index.js'),
      });
      expect(JSON.parse(got)).toEqual(EXPECTED);
    });
  });
});
