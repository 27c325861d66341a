import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { settingNames } from '../deploy/setting-names.js';
import { keyledgerHere } from '../../support/harness/command-in-process.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { read } from './markdown.js';

const COMMAND =
  /(?:dist\/cli\.js|`keyledger) (audit|backup|(?:accounts|management-keys|members|projections|workspaces) [a-z]+)(.*)$/gm;

const FOLDER = 'docs/operations';
const documents = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => [file, read(join(FOLDER, file))] as const);
const giving = documents.filter(([, text]) => [...text.matchAll(COMMAND)].length > 0);

describe('docs/operations', () => {
  it('backs up an embedded log by the commands that it gives', async () => {
    const directory = makeTempDirectory();
    try {
      const settings = { DATA_DIR: join(directory.path, 'data') };
      const account = ['--name', 'A', '--owner', 'ada'];
      expect(await keyledgerHere(settings, 'accounts', 'create', ...account)).toMatchObject({
        code: 0,
      });
      const named = [
        ...read('docs/operations/backup.md').matchAll(
          /dist\/cli\.js backup (\/\S+\/)\$\(date [^)]*\)/g,
        ),
      ];
      expect(named).toHaveLength(3);
      for (const [at, [, into = '']] of named.entries()) {
        mkdirSync(join(directory.path, into), { recursive: true });
        const backup = join(directory.path, into, String(at));
        expect(await keyledgerHere(settings, 'backup', backup)).toMatchObject({ code: 0 });
        expect(readdirSync(backup)).toEqual(['events.db', 'usage.db']);
      }
    } finally {
      directory.remove();
    }
  });

  it('names settings that exist', () => {
    const named = documents.flatMap(
      ([, text]) =>
        text.match(/\b(?:MONGODB|EVENTSTOREDB|BOOTSTRAP|READ_YOUR|SHUTDOWN)_[A-Z_]+/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(0);
    expect(settingNames()).toEqual(expect.arrayContaining([...new Set(named)]));
  });

  it('gives commands in each runbook', () => {
    const runbooks = readdirSync(`${FOLDER}/runbooks`).map((file) => `runbooks/${file}`);
    expect(giving.map(([file]) => file)).toEqual(expect.arrayContaining(runbooks));
  });

  it.each(giving)(
    'gives, in %s, commands that there are, with options that they take',
    async (_, text) => {
      for (const [line, words = '', rest = ''] of text.matchAll(COMMAND)) {
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
