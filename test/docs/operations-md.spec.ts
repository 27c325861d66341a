import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readAlerts } from '../deploy/alerts.js';
import { settingNames } from '../deploy/setting-names.js';
import { keyledger } from '../harness/command-line.js';
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
