import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Command } from 'commander';
import { Program } from '../../src/command-line/program.js';
import { addCommands } from '../../src/commands.js';
import { keyledger } from '../harness/command-line.js';
import { makeTempDirectory } from '../harness/temp-directory.js';
import { TIME, UUID } from '../harness/forms.js';
import { runningApp } from '../harness/running-app.js';
import { blocksOf, read, section } from './markdown.js';

type Json = Readonly<Record<string, unknown>>;

const PARTS = 'Shared parts';
const document = read('docs/command-line.md');
const ajv = new Ajv2020({ strictTypes: false, allowUnionTypes: true, allErrors: true });
ajv.addFormat('uuid', UUID).addFormat('date-time', TIME);
ajv.addSchema(schemaOf(PARTS));

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
  ['projections status', () => []],
  ['projections rebuild', () => ['key-directory']],
  ['projections verify', () => ['key-directory']],
  ['backup', ({ backups }) => [backups]],
  ['audit', ({ account }) => ['--account', account]],
];

describe('docs/command-line.md', () => {
  const service = runningApp();
  const backups = makeTempDirectory();
  let made: Made = {
    account: '',
    workspace: '',
    managementKey: '',
    backups: join(backups.path, 'of-today'),
  };

  afterAll(() => {
    backups.remove();
  });

  /** Stores the values that a command made. */
  function remember(command: string, printed: Json): void {
    const { account_id, workspace_id, hash } = printed as Readonly<Record<string, string>>;
    if (command === 'accounts create') made = { ...made, account: account_id ?? '' };
    if (command === 'workspaces create') made = { ...made, workspace: workspace_id ?? '' };
    if (command === 'management-keys create') made = { ...made, managementKey: hash ?? '' };
  }

  it('has a schema for every command that prints JSON, and no other', () => {
    const unused = new Program(
      () => Promise.reject(new Error('nothing is run here')),
      () => undefined,
    );
    addCommands(unused, () => Promise.reject(new Error('nothing is copied here')));
    const titles = [...document.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    const commands = printingJson(unused.root, []);
    expect(titles.sort()).toEqual([PARTS, ...commands].sort());
    expect(WALK.map(([command]) => command).sort()).toEqual(commands.sort());
  });

  it.each(WALK)('describes what "%s" prints, and leaves no field out', async (command, options) => {
    const args = [...command.split(' '), ...options(made), '--json'];
    const { code, stdout, stderr } = await keyledger(service.backends.settings, ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    const printed = lines.map((line) => JSON.parse(line) as Json);
    if (command !== 'audit') expect(printed).toHaveLength(1);
    const validate = ajv.compile(closed(schemaOf(command)));
    for (const record of printed) {
      validate(record);
      expect(validate.errors ?? []).toEqual([]);
    }
    remember(command, printed[0] ?? {});
  });
});

function schemaOf(title: string): Json {
  const [block] = blocksOf(section(document, title));
  return JSON.parse(block?.text ?? '') as Json;
}

/** Gives the schema without room for unknown fields, also in list items and alternatives. */
function closed(schema: Json): Json {
  const { properties, items, anyOf } = schema as {
    properties?: Readonly<Record<string, Json>>;
    items?: Json;
    anyOf?: readonly Json[];
  };
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, closed(field)]),
      ),
    }),
    ...(items && { items: closed(items) }),
    ...(anyOf && { anyOf: anyOf.map(closed) }),
    ...(Object.keys(schema).length > 0 && { unevaluatedProperties: false }),
  };
}

function printingJson(command: Command, path: readonly string[]): string[] {
  return command.commands.flatMap((child) => {
    const name = [...path, child.name()];
    if (child.commands.length > 0) return printingJson(child, name);
    return child.options.some(({ long }) => long === '--json') ? [name.join(' ')] : [];
  });
}
