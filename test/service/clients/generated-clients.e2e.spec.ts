import { execFile, type ExecFileException } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import {
  type ApiDescription,
  type DescribedOperation,
  operationOf,
} from '../../support/harness/api-description.js';
import { answerTo, errorFixture, WRITES } from '../../support/harness/error-fixture.js';
import { PROVOCATIONS } from '../../support/harness/error-provocations.js';
import { FURTHER_PROVOCATIONS } from '../../support/harness/further-provocations.js';
import { goodAnswers } from '../../support/harness/good-answers.js';
import { installed } from '../../support/harness/installed.js';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import { runningApp, type TestAccount } from '../../support/harness/running-app.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { blocksOf, read } from '../../project/docs/markdown.js';

const guide = read('docs/guides/clients.md');
const GENERATORS = installed('client-generators') ?? '';
const TYPESCRIPT = [
  ...['--ignoreConfig', '--strict', '--allowJs', '--checkJs', '--outDir', 'compiled'],
  ...['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'],
  ...['--typeRoots', resolve('node_modules/@types'), '--types', 'node'],
];

const HASH = /^[0-9a-f]{64}\n$/;

/** The values that each client gets from its calls. */
const EXPECTED = {
  expires_at: '2030-01-01T00:00:00.000Z',
  limit_reset: 'monthly',
  external_user: 'ada',
  has_year: true,
  limit: null,
  total_count: 1,
  code: 'WRONG_WORKSPACE',
  valid: false,
  usage: 0.2500001,
  actions: ['key.limit-changed', 'key.created'],
  reason: 'workspace-unknown',
};

/** An answer of the service or of what stands before it. The body is null without one. */
type Recorded = readonly [operationId: string, status: number, body: unknown];

jest.setTimeout(120_000);

onlyWhereInstalled('client-generators')('a client that is generated from docs/openapi.yaml', () => {
  const service = runningApp({ RATE_LIMIT_WRITES: `${WRITES}/600s` });
  const directory = makeTempDirectory();
  let account: TestAccount;
  let description: ApiDescription;
  let operations: readonly DescribedOperation[];
  let answers: readonly Recorded[];

  beforeAll(async () => {
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
    operations = Object.values(description.paths).flatMap((methods) => Object.values(methods));
    answers = [...(await recordedAnswers()), ...answersOfBalancer()];
  });

  beforeEach(async () => {
    account = await service.openAccount();
  });

  beforeAll(() => {
    symlinkSync(resolve('docs'), join(directory.path, 'docs'));
    symlinkSync(join(GENERATORS, 'node_modules'), join(directory.path, 'node_modules'));
  });

  afterAll(() => directory.remove());

  /** Gives the arguments of a generator, as the guide has them. */
  function argumentsOf(generator: string): string[] {
    const [, args = ''] = new RegExp(`^(?:npx )?${generator} (.+)$`, 'm').exec(guide) ?? [];
    return args.split(' ');
  }

  /** Writes the program that the guide shows in a language. */
  function writeProgram(language: string, file: string): void {
    const program = blocksOf(guide).find((block) => block.language === language);
    writeFileSync(join(directory.path, file), program?.text ?? '');
  }

  /** Gets every answer that the tests know how to get, from each operation. */
  async function recordedAnswers(): Promise<Recorded[]> {
    const fixture = await errorFixture(service);
    const answered = await goodAnswers(await service.openAccount());
    for (const [, provoke] of [...Object.entries(PROVOCATIONS), ...FURTHER_PROVOCATIONS]) {
      const request = provoke(fixture);
      answered.push([request.route, await answerTo(fixture, request)]);
      jest.restoreAllMocks();
    }
    return answered.flatMap(([route, { status, body }]) => {
      const { operationId } = operationOf(description, route) ?? {};
      return operationId === undefined ? [] : [[operationId, status, body ?? null] as const];
    });
  }

  function answersOfBalancer(): Recorded[] {
    const bodies = readFileSync('deploy/haproxy.cfg', 'utf8').matchAll(
      /status (\d+) .*'(\{.*\})'/g,
    );
    return [...bodies].map(([, status, body = '']) => [
      'listKeys',
      Number(status),
      JSON.parse(body),
    ]);
  }

  /**
   * Runs a program that finds the generators, the generated clients and the service. @returns its
   * output.
   */
  async function run(program: string, args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(program, args, {
      cwd: directory.path,
      env: {
        PATH: process.env['PATH'],
        PYTHONPATH: `${GENERATORS}:${directory.path}`,
        ADDRESS: service.address,
        KEY: account.managementKey,
        REPORT: randomUUID(),
      },
      maxBuffer: Infinity,
    }).catch((error: unknown) => {
      // The compiler says on standard output what is wrong.
      const { message, stdout: said } = error as ExecFileException;
      throw new Error(`${message}\n${String(said)}`, { cause: error });
    });
    return stdout;
  }

  const calls = (file: string): string => resolve('test/service/clients', file);

  it('by openapi-python-client makes its calls, and reads every answer', async () => {
    const generator = ['-m', 'openapi_python_client', ...argumentsOf('openapi-python-client')];
    await run('python3', generator);
    const got = await run('python3', [calls('calls-of-openapi-python-client.py')]);
    expect(JSON.parse(got)).toEqual(EXPECTED);
    writeProgram('python', 'guide.py');
    expect(await run('python3', ['guide.py'])).toMatch(HASH);
    writeFileSync(join(directory.path, 'answers.json'), JSON.stringify(answers));
    const read = await run('python3', [calls('reads-of-openapi-python-client.py'), 'answers.json']);
    expect(inOneForm(JSON.parse(read))).toEqual(inOneForm(answers.map(([, , body]) => body)));
    expect(new Set(answers.map(([id]) => id)).size).toBe(operations.length);
  });

  it('by openapi-typescript compiles with every answer, and makes its calls by openapi-fetch', async () => {
    const generator = 'node_modules/openapi-typescript/bin/cli.js';
    await run(process.execPath, [generator, ...argumentsOf('openapi-typescript')]);
    writeFileSync(join(directory.path, 'answers.ts'), answersAsTypeScript());
    copyFileSync(calls('calls-of-openapi-fetch.mjs'), join(directory.path, 'calls.mjs'));
    writeProgram('ts', 'guide.mts');
    const sources = ['answers.ts', 'calls.mjs', 'guide.mts'];
    await run(resolve('node_modules/.bin/tsc'), [...TYPESCRIPT, ...sources]);
    const got = await run(process.execPath, ['calls.mjs']);
    expect(JSON.parse(got)).toEqual(EXPECTED);
    expect(await run(process.execPath, ['compiled/guide.mjs'])).toMatch(HASH);
  });

  /** Gives a program that compiles if each answer has the type of its operation and status. */
  function answersAsTypeScript(): string {
    const typed = answers.map(([operationId, status, body], index) => {
      const { responses } = operations.find((one) => one.operationId === operationId) ?? {};
      const described = responses?.[status] ? status : "'default'";
      const type = `Body<operations['${operationId}']['responses'][${described}]>`;
      return `export const answer${index}: ${type} = ${JSON.stringify(body)};`;
    });
    return [
      "import type { operations } from './keyledger.js';",
      "type Body<Response> = Response extends { content: { 'application/json': infer Read } } ? Read : null;",
      ...typed,
    ].join('\n');
  }
});

/** Gives a value with each time in the form of answers, because clients have forms of their own. */
function inOneForm(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, one: unknown) =>
    typeof one === 'string' && /^\d{4}-\d\d-\d\dT/.test(one) ? new Date(one).toISOString() : one,
  );
}
