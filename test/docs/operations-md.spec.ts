import { describe, expect, it } from '@jest/globals';
import { readAlerts } from '../deploy/alerts.js';
import { settingNames } from '../deploy/setting-names.js';
import { read, section, tableRows } from './markdown.js';

const operations = read('docs/operations.md');
const runbook = read('docs/runbooks/recover-from-a-lost-mongodb.md');

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

  it.each([
    ['it', operations],
    ['the runbook', runbook],
  ])('gives in %s commands that there are', (_, text) => {
    const listed = tableRows(section(read('docs/api.md'), '9 The command line'));
    const known = listed.map(([command = '']) => command.split(' ').slice(0, 2).join(' '));
    const given = text.matchAll(
      /(?:keyledger|dist\/cli\.js) ((?:accounts|projections|management-keys) \w+)/g,
    );
    const commands = [...given].map(([, command = '']) => command);
    expect(commands.length).toBeGreaterThan(0);
    expect(known).toEqual(expect.arrayContaining(commands));
  });
});
