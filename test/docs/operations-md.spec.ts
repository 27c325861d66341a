import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readAlerts } from '../deploy/alerts.js';
import { settingNames } from '../deploy/setting-names.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { keyledger } from '../harness/command-line.js';
import { makeTempDirectory } from '../harness/temp-directory.js';
import { read, section, tableRows } from './markdown.js';

const COMMAND =
  /(?:dist\/cli\.js|`keyledger) (audit|(?:accounts|management-keys|members|projections|workspaces) [a-z]+)(.*)$/gm;

const operations = read('docs/operations.md');
const runbooks = readdirSync('docs/runbooks').map(
  (file) => [file, read(`docs/runbooks/${file}`)] as const,
);

describe('docs/operations.md', () => {
  it('says what each alert means in a cluster, and of no other', () => {
    const told = tableRows(section(operations, 'Alerts')).map(([alert]) => alert);
    expect(told).toEqual(readAlerts().map(({ alert }) => alert));
  });

  it('backs up an embedded log into a file that its owner alone can read', () => {
    const directory = makeTempDirectory();
    try {
      const log = openDatabase(join(directory.path, 'events.db'), {});
      log.exec('CREATE TABLE t (a)');
      log.close();
      const [, code = ''] = /node -e \\\n {2}"(process\.umask.*)"\n/.exec(operations) ?? [];
      const script = code.replaceAll('\\"', '"').replaceAll('/data/', `${directory.path}/`);
      execFileSync('sh', ['-c', 'umask 022; exec "$@"', 'sh', process.execPath, '-e', script]);
      expect(statSync(join(directory.path, 'backup.db')).mode & 0o777).toBe(0o600);
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
        const { code, stdout } = await keyledger({}, ...names, '--help');
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
