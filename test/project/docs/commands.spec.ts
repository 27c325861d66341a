import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { keyledgerHere } from '../../support/harness/command-in-process.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { BLOCKS, commandsOf, DOCUMENTS, run } from './commands.js';
import { read } from './markdown.js';

const HERE = 'test/project/docs';
const RUNBOOKS = 'docs/operations/runbooks';
/**
 * Each document with commands that are not marked: how many blocks of them it has, and the test
 * that runs each.
 */
const RUN_BY: Readonly<Record<string, readonly [blocks: number, test: string]>> = {
  'README.md': [7, `${HERE}/readme.spec.ts`],
  'CONTRIBUTING.md': [1, `${HERE}/commands.spec.ts`],
  'docs/guides/protect-an-api.md': [27, `${HERE}/guide.e2e.spec.ts`],
  'docs/guides/manage-keys.md': [10, `${HERE}/manage-keys.e2e.spec.ts`],
  'docs/guides/webhooks.md': [1, 'test/project/deploy/webhook-relay.e2e.spec.ts'],
  'docs/operations/backup.md': [1, `${HERE}/operations-md.spec.ts`],
  [`${RUNBOOKS}/revoke-a-leaked-management-key.md`]: [5, `${HERE}/runbooks.e2e.spec.ts`],
  [`${RUNBOOKS}/find-out-who-disabled-a-key.md`]: [4, `${HERE}/runbooks.e2e.spec.ts`],
  [`${RUNBOOKS}/make-room-on-a-full-disk.md`]: [2, `${HERE}/runbooks.e2e.spec.ts`],
  [`${RUNBOOKS}/rebuild-after-a-bad-deploy.md`]: [4, `${HERE}/runbooks.e2e.spec.ts`],
  [`${RUNBOOKS}/recover-from-a-lost-eventstoredb.md`]: [
    2,
    'test/service/servers/lost-eventstoredb.e2e.spec.ts',
  ],
  [`${RUNBOOKS}/restore-the-event-log.md`]: [3, `${HERE}/runbooks.e2e.spec.ts`],
  [`${RUNBOOKS}/reverse-a-wrong-report.md`]: [4, `${HERE}/runbooks.e2e.spec.ts`],
};

/** The needs that tests cannot meet. `minutes`: it takes longer than a test may. */
const NEEDS = 'a registry, an EventStoreDB, caddy, docker, kubernetes, minutes, root'.split(', ');
const OTHER_BLOCKS =
  /^( *)```(?:diff|haproxy|js|json|mermaid|nginx|python|text|ts|yaml)\n[^]*?^\1```$/gm;
/** A text that looks like a command, or like a mark without its block. */
const COMMAND = /^ *```.*|^ {4,}(?:curl|docker|keyledger|kubectl|node|npm|npx) .*|<!-- needs.*/m;

const CALL =
  /(?<![-/])\bkeyledger (audit|backup|(?:accounts|management-keys|members|projections|workspaces) [a-z]+)(.*)$/gm;
const calling = [...DOCUMENTS, 'deploy/alerts.yml', 'deploy/kubernetes-embedded.yaml']
  .map((file) => [file, [...read(file).matchAll(CALL)]] as const)
  .filter(([, calls]) => calls.length > 0);

describe('the commands of the documents', () => {
  it('are each run by a test, or marked with what a test has not', () => {
    const unmarked = DOCUMENTS.map((file) => [file, commandsOf(file).length] as const);
    const found = Object.fromEntries(unmarked.filter(([, blocks]) => blocks > 0));
    const listed = Object.entries(RUN_BY).map(([file, [blocks]]) => [file, blocks]);
    expect(found).toEqual(Object.fromEntries(listed));
    for (const [file, [, test]] of Object.entries(RUN_BY))
      expect(read(test)).toContain(basename(file, '.md'));
  });

  it('stand in such blocks and nowhere else, with marks of known words', () => {
    for (const file of DOCUMENTS) {
      const outside = read(file).replaceAll(BLOCKS, '').replaceAll(OTHER_BLOCKS, '');
      expect({ file, other: COMMAND.exec(outside)?.[0] }).toEqual({ file });
      for (const [, need] of read(file).matchAll(/<!-- needs (.+) -->/g))
        expect(NEEDS).toContain(need);
    }
  });

  it('run one file of the tests', async () => {
    const [command = ''] = commandsOf('CONTRIBUTING.md');
    expect(await run(command, {})).toMatchObject({ code: 0 });
  }, 60_000);

  it('run scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const named = DOCUMENTS.flatMap((file) => [...read(file).matchAll(/npm run ([\w:]+)/g)]);
    expect(named.length).toBeGreaterThan(0);
    for (const [, script = ''] of named) expect(Object.keys(scripts)).toContain(script);
  });

  it.each(calling)(
    'call, in %s, commands that there are, with options that they take',
    async (file, calls) => {
      for (const [line, words = '', rest = ''] of calls) {
        const { code, stdout } = await keyledgerHere({}, ...words.split(' '), '--help');
        const [usage] = stdout.split('\n');
        const named = expect.stringContaining(`keyledger ${words} `);
        expect({ file, line, code, usage }).toEqual({ file, line, code: 0, usage: named });
        const [given = ''] = rest.split('`');
        for (const [option] of given.matchAll(/--[a-z-]+/g)) expect(stdout).toContain(option);
      }
    },
  );

  it('call the command line by its name', () => {
    const others = DOCUMENTS.filter((file) => /node dist\/cli\.js|npx keyledger/.test(read(file)));
    expect(others).toEqual(['docs/cli.md']);
  });

  it('reach the command line in the checkout without a registry', async () => {
    const home = makeTempDirectory();
    const settings = { HOME: home.path, npm_config_registry: 'http://127.0.0.1:1' };
    const shown = await run('npx --no -- keyledger --help', settings);
    home.remove();
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: keyledger /) });
    expect(read('docs/cli.md')).toContain('`npx --no -- keyledger`');
  });
});
