import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readAlerts } from '../deploy/alerts.js';
import { settingNames } from '../deploy/setting-names.js';
import { keyledgerHere } from '../harness/command-in-process.js';
import { makeTempDirectory } from '../harness/temp-directory.js';
import { blocksOf, read, section, tableRows } from './markdown.js';

const COMMAND =
  /(?:dist\/cli\.js|`keyledger) (audit|backup|doctor|restore|(?:accounts|log|management-keys|members|projections|workspaces) [a-z]+)(.*)$/gm;

/** Gives the words after `dist/cli.js` in the command of a CronJob. */
function inPod(job: unknown): string[] {
  const words = [...JSON.stringify(job).matchAll(/"command":(\[.*?\])/g)].flatMap(
    ([, command = '[]']) => JSON.parse(command) as string[],
  );
  return words.slice(words.indexOf('dist/cli.js') + 1);
}

/** Gives the words after `dist/cli.js` in the commands that make backups. */
function inShells(text: string): string[][] {
  return [...text.matchAll(/dist\/cli\.js (backup .*)$/gm)].map(([, words = '']) =>
    words.split(' '),
  );
}

const operations = read('docs/operations.md');
const runbooks = readdirSync('docs/runbooks').map(
  (file) => [file, read(`docs/runbooks/${file}`)] as const,
);

describe('docs/operations.md', () => {
  it('says what each alert means in a cluster, and of no other', () => {
    const told = tableRows(section(operations, 'Alerts')).map(([alert]) => alert);
    expect(told).toEqual(readAlerts().map(({ alert }) => alert));
  });

  it('backs up an embedded log by the commands that it gives', async () => {
    const directory = makeTempDirectory();
    try {
      const settings = { DATA_DIR: join(directory.path, 'data') };
      const account = ['--name', 'A', '--owner', 'ada'];
      expect(await keyledgerHere(settings, 'accounts', 'create', ...account)).toMatchObject({
        code: 0,
      });
      const job = blocksOf(operations).find(({ text }) => text.includes('kind: CronJob'));
      const given = [inPod(parse(job?.text ?? '')), ...inShells(operations)];
      expect(given).toHaveLength(3);
      for (const words of given) {
        const [command = '', into = '', ...options] = words;
        const backups = join(directory.path, into);
        expect(await keyledgerHere(settings, command, backups, ...options)).toMatchObject({
          code: 0,
        });
        const [file = ''] = readdirSync(backups);
        expect(statSync(join(backups, file)).mode & 0o777).toBe(0o600);
      }
    } finally {
      directory.remove();
    }
  });

  it('names settings that exist', () => {
    const named =
      operations.match(/\b(?:MONGODB|EVENTSTOREDB|BOOTSTRAP|READ_YOUR|SHUTDOWN)_[A-Z_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(0);
    expect(settingNames()).toEqual(expect.arrayContaining([...new Set(named)]));
  });

  it.each([['docs/operations.md', operations] as const, ...runbooks])(
    'gives, in %s, commands that there are, with options that they take',
    async (_, text) => {
      const given = [...text.matchAll(COMMAND)];
      expect(given.length).toBeGreaterThan(0);
      for (const [line, words = '', rest = ''] of given) {
        const names = words.split(' ');
        const { code, stdout } = await keyledgerHere({}, ...names, '--help');
        expect({ line, code }).toEqual({ line, code: 0 });
        expect({ line, usage: stdout.split('\n')[0] }).toEqual({
          line,
          usage: expect.stringContaining(`keyledger ${names.join(' ')} `),
        });
        for (const [option] of rest.matchAll(/--[a-z-]+/g)) {
          expect({ line, help: stdout }).toEqual({ line, help: expect.stringContaining(option) });
        }
      }
    },
  );
});
