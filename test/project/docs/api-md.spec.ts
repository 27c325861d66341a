import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { EVENTS } from '../../support/declared.js';
import {
  auditedEvents,
  descriptionOf,
} from '../../../src/features/audit-trail/domain/descriptions.js';
import {
  type TableRow,
  REFUSAL_TABLE,
  FAULT_TABLE,
} from '../../../src/edge/http/answers/error-table.js';
import { readSettings } from '../../../src/host/settings/settings.js';
import { everyCommand } from '../../support/harness/command-in-process.js';
import { read, section, tableRows } from './markdown.js';

const api = read('docs/api.md');
const { components } = parse(read('docs/openapi.yaml')) as {
  components: { schemas: Record<string, { properties: object }> };
};

describe('docs/api.md', () => {
  it('lists every refusal with its status and message, and no other', () => {
    expect(tableRows(section(api, '7 Errors'))).toEqual(rowsOf(REFUSAL_TABLE));
  });

  it('lists every fault with its status, and those of the load balancer', () => {
    const errors = section(api, '7 Errors');
    const faults = tableRows(errors.slice(errors.indexOf('Errors that are not refusals')));
    const own = Object.keys(FAULT_TABLE).length;
    const statusOf = ([code, status]: readonly string[]): unknown[] => [code, status];
    expect(faults.slice(0, own).map(statusOf)).toEqual(rowsOf(FAULT_TABLE).map(statusOf));
    const balancer = read('deploy/haproxy.cfg').matchAll(/"reason":"([\w-]+)"/g);
    expect(faults.slice(own).map(([code]) => code)).toEqual([...balancer].map(([, code]) => code));
  });

  it('lists every event that can be stored, and no other', () => {
    const listed = tableRows(section(api, '10 Events')).map(([type]) => type);
    expect(listed).toEqual(EVENTS.map(({ type }) => type));
  });

  it('lists with every event its action in the audit trail', () => {
    const rows = tableRows(section(api, '10 Events')).filter(([, action]) => action !== 'none');
    const listed = rows.map(([type, action]) => [action, type]);
    expect(listed).toEqual(auditedEvents.map(({ type }) => [descriptionOf(type).action, type]));
  });

  it.each([
    ['Key', '3.2 The key record'],
    ['CreateKeyRequest', '3.3 Creating a key'],
    ['Workspace', '2.6 Workspaces over HTTP'],
    ['ManagementKey', '2.11 Management keys over HTTP'],
    ['EndUser', '5.1 The end-user record'],
    ['AuditEvent', '11.1 An audit event'],
    ['Verification', '12.2 Verifying a key'],
    ['Introspection', '12.5 Introspection'],
    ['UsageReport', '13.2 The answer to a report'],
    ['StoredUsageReport', '13.4 Reading and reversing'],
    ['Activity', '14.1 The activity row'],
    ['EndUserBudget', '15.1 The budget'],
  ])('has each field of %s in the table of %s, and no other', (schema, title) => {
    const listed = tableRows(section(api, title)).flatMap(([names = '']) => names.split(', '));
    const declared = Object.keys(components.schemas[schema]?.properties ?? {});
    expect(listed.sort()).toEqual(declared.sort());
  });

  it('names each field of an update of a key', () => {
    const { properties = {} } = components.schemas.UpdateKeyRequest ?? {};
    for (const field of Object.keys(properties)) {
      expect(section(api, '4.1 The body')).toContain(`\`${field}\``);
    }
  });

  it('lists every command of the command line with its options, and no other', () => {
    const commands = everyCommand().filter(([, { commands }]) => commands.length === 0);
    const declared = commands.map(([name, { options }]) => ({
      name,
      options: new Set(options.flatMap(({ long }) => (long && long !== '--json' ? [long] : []))),
    }));
    const listed = tableRows(read('docs/cli.md')).map(([command = '']) => ({
      name: command.slice(0, command.search(/ --| \[| [A-Z]|$/)),
      options: new Set(command.match(/--[a-z-]+/g)),
    }));
    const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
    expect(listed.sort(byName)).toEqual(declared.sort(byName));
  });

  it('has every setting with its default', () => {
    const rows = tableRows(read('docs/settings.md'));
    const declared = read('src/host/settings/settings.ts').matchAll(/^ {2}([A-Z_]+): /gm);
    expect(rows.map(([name]) => name)).toEqual([...declared].map(([, name]) => name));
    const defaults = new Map<string, string>();
    for (const [name = '', value = 'unset'] of rows)
      if (value !== 'unset') defaults.set(name, value);
    expect(readSettings(Object.fromEntries(defaults))).toEqual(readSettings({}));
  });

  it('has the settings of README with the same defaults', () => {
    const inReadme = tableRows(section(read('README.md'), 'Settings for a trial'));
    const all = tableRows(read('docs/settings.md')).map(([name, value]) => [name, value]);
    expect(inReadme.length).toBeGreaterThan(0);
    expect(all).toEqual(expect.arrayContaining(inReadme.map(([name, value]) => [name, value])));
  });
});

function rowsOf(table: Readonly<Record<string, TableRow>>): string[][] {
  return Object.entries(table).map(([code, { status, message }]) => [
    code,
    String(status),
    message,
  ]);
}
