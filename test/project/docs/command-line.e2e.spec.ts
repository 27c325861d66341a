import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { everyCommand, keyledgerHere } from '../../support/harness/command-in-process.js';
import type { CommandLineResult } from '../../support/harness/command-line.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { TIME, UUID } from '../../support/harness/forms.js';
import { runningApp } from '../../support/harness/running-app.js';
import { read, section, tableRows } from './markdown.js';

type Json = Readonly<Record<string, unknown>>;

const api = read('docs/api.md');
/** The fields that the table names for each command, by the command with its options. */
const ROWS = tableRows(read('docs/cli.md'));
/** The forms of fields whose name says their form. */
const FORMS: Readonly<Record<string, RegExp>> = {
  account_id: UUID,
  workspace_id: UUID,
  default_workspace_id: UUID,
  id: UUID,
  hash: /^[0-9a-f]{64}$/,
  management_key: /^mk-v1-[0-9a-f]{64}$/,
  created_at: TIME,
  revoked_at: TIME,
  occurred_at: TIME,
};

/** The values that earlier commands of the walk made. */
interface Made {
  readonly account: string;
  readonly workspace: string;
  readonly managementKey: string;
  readonly backups: string;
}

/** A walk through every command that has `--json`. Each kind of value occurs in some output. */
const WALK: readonly (readonly [command: string, options: (made: Made) => readonly string[]])[] = [
  ['accounts create', () => ['--name', 'Acme', '--owner', 'ada']],
  ['accounts list', () => []],
  ['members add', ({ account }) => ['--account', account, '--user', 'bob']],
  [
    'workspaces create',
    ({ account }) => ['--account', account, '--name', 'Europe', '--restriction', 'eu-only'],
  ],
  ['workspaces list', ({ account }) => ['--account', account]],
  [
    'workspaces restrict',
    ({ workspace }) => ['--workspace', workspace, '--restriction', 'eu-only'],
  ],
  ['workspaces members add', ({ workspace }) => ['--workspace', workspace, '--user', 'bob']],
  ['workspaces members remove', ({ workspace }) => ['--workspace', workspace, '--user', 'bob']],
  ['management-keys create', ({ account }) => ['--account', account, '--user', 'bob']],
  ['management-keys revoke', ({ managementKey }) => ['--hash', managementKey]],
  ['management-keys list', ({ account }) => ['--account', account]],
  ['members remove', ({ account }) => ['--account', account, '--user', 'bob']],
  ['mint', () => ['--management']],
  ['projections status', () => []],
  ['projections rebuild', () => ['management']],
  ['projections verify', () => ['management']],
  ['backup', ({ backups }) => [backups]],
  ['audit', ({ account }) => ['--account', account]],
];

describe('docs/cli.md', () => {
  const service = runningApp();
  const backups = makeTempDirectory();
  const results = new Map<string, CommandLineResult>();
  let made: Made = {
    account: '',
    workspace: '',
    managementKey: '',
    backups: join(backups.path, 'of-today'),
  };

  beforeAll(async () => {
    for (const [command, options] of WALK) {
      const args = [...command.split(' '), ...options(made), '--json'];
      const result = await keyledgerHere(service.backends.settings, ...args);
      results.set(command, result);
      remember(command, result.json ?? {});
    }
  }, 120_000);

  afterAll(() => {
    backups.remove();
  });

  /** Stores the values that a command made. */
  function remember(command: string, printed: unknown): void {
    const { account_id, workspace_id, hash } = printed as Readonly<Record<string, string>>;
    if (command === 'accounts create') made = { ...made, account: account_id ?? '' };
    if (command === 'workspaces create') made = { ...made, workspace: workspace_id ?? '' };
    if (command === 'management-keys create') made = { ...made, managementKey: hash ?? '' };
  }

  it('walks here through every command that prints JSON, and no other', () => {
    const printing = everyCommand().filter(([, { options }]) =>
      options.some(({ long }) => long === '--json'),
    );
    const names = printing.map(([name]) => name);
    expect(WALK.map(([command]) => command).sort()).toEqual(names.sort());
  });

  it.each(WALK)('names every field that "%s" prints, and no other', (command) => {
    const result = results.get(command);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const lines = (result?.stdout ?? '').trimEnd().split('\n');
    const printed = lines.map((line) => JSON.parse(line) as Json);
    if (command !== 'audit') expect(printed).toHaveLength(1);
    const { own, lists } = toldOf(command);
    for (const record of printed) {
      hasFields(record, [...own, ...Object.keys(lists)]);
      for (const [list, fields] of Object.entries(lists)) {
        const records = record[list] as readonly Json[];
        expect(records.length).toBeGreaterThan(0);
        for (const each of records) hasFields(each, fields);
      }
    }
  });
});

interface Told {
  readonly own: readonly string[];
  /** The fields of the records of each list. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** Gives the fields that the table names for a command, such as `directory; logs: name, file`. */
function toldOf(command: string): Told {
  if (command === 'audit') {
    const fields = tableRows(section(api, '11.1 An audit event')).map(([field = '']) => field);
    return { own: fields, lists: {} };
  }
  const row = ROWS.find(([usage = '']) => new RegExp(`^${command}( --| \\[| [A-Z]|$)`).test(usage));
  const parts = (row?.[1] ?? '').replace(/ \(.*\)$/, '').split('; ');
  const isList = (part: string): boolean => part.includes(': ');
  return {
    own: parts.filter((part) => !isList(part)).flatMap((part) => part.split(', ')),
    lists: Object.fromEntries(
      parts.filter(isList).map((part) => {
        const [name = '', fields = ''] = part.split(': ');
        return [name, fields.split(', ')];
      }),
    ),
  };
}

function hasFields(record: Json, fields: readonly string[]): void {
  expect(Object.keys(record).sort()).toEqual([...fields].sort());
  for (const [name, value] of Object.entries(record)) {
    const form = FORMS[name];
    if (form && value !== null)
      expect({ [name]: value }).toEqual({ [name]: expect.stringMatching(form) });
  }
}
