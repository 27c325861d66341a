import { beforeAll, describe, expect, it } from '@jest/globals';
import { PROJECTIONS } from '../../../src/host/assembly/events-and-projections.js';
import type { ApiDescription, DescribedParameter } from '../../support/harness/api-description.js';
import { runningApp } from '../../support/harness/running-app.js';
import { read, section, tableRows } from './markdown.js';

const api = read('docs/api.md');

/** Sections whose table has the fields of a schema, one or several in a row. */
const TABLES = [
  ['2.6 Workspaces over HTTP', 'Workspace'],
  ['3.2 The key record', 'Key'],
  ['3.3 Creating a key', 'CreateKeyRequest'],
  ['5.1 The end-user record', 'EndUser'],
  ['11.1 An audit event', 'AuditEvent'],
  ['12.2 Asking', 'Verification'],
  ['12.5 Introspection', 'Introspection'],
] as const;
/** Sections that name the fields in sentences or in a shared table, as code. */
const SENTENCES = [
  ['2.6 Workspaces over HTTP', 'CreateWorkspaceRequest'],
  ['2.6 Workspaces over HTTP', 'UpdateWorkspaceRequest'],
  ['2.7 Members over HTTP', 'WorkspaceMembersRequest'],
  ['3.3 Creating a key', 'ExternalIdentity'],
  ['4.1 The body', 'UpdateKeyRequest'],
  ['5.2 Registering', 'RegisterEndUserRequest'],
  ['5.6 Deactivating', 'UpdateEndUserRequest'],
  ['12.2 Asking', 'VerifyKeyRequest'],
  ['12.2 Asking', 'VerifiedKey'],
  ['12.5 Introspection', 'IntrospectKeyRequest'],
  ['12.2 Asking', 'ExceededLimit'],
] as const;
/** Sections whose table has the query parameters of an operation, one or several in a row. */
const QUERIES = [
  ['3.7 Listing', '/v1/keys'],
  ['5.3 Listing', '/v1/end-users'],
  ['11.2 Asking', '/v1/audit-events'],
] as const;
/** Sections that name the parameters in a sentence. */
const QUERY_SENTENCES = [
  ['2.6 Workspaces over HTTP', '/v1/workspaces'],
  ['2.7 Members over HTTP', '/v1/workspaces/{workspace}/members'],
  ['12.4 Forward authentication', '/v1/authorize'],
] as const;
/** Schemas that the document shows in words, or in a table of another form. */
const ELSEWHERE = ['CurrentKey', 'Error'];
/** Schemas that are parts of other records. The rows of those records describe them. */
const PARTS = [
  'AuditActor',
  'AuditTarget',
  'ExternalUser',
  'FreeModelRequests',
  'Member',
  'RateLimit',
];

describe('docs/api.md', () => {
  const service = runningApp();
  let document: ApiDescription;

  beforeAll(async () => {
    ({ body: document } = await service.client.get<ApiDescription>('/openapi.json'));
  });

  const fieldsOf = (schema: string): string[] =>
    Object.keys(
      (document.components.schemas[schema] as { properties?: object } | undefined)?.properties ??
        {},
    );

  const queryOf = (path: string): readonly DescribedParameter[] =>
    document.paths[path]?.['get']?.parameters.filter((parameter) => parameter.in === 'query') ?? [];

  it('lists every operation with the status of its success, and no other', () => {
    const listed = tableRows(section(api, '1.1 Base address and routes')).map(
      ([route, answer = '']) => [route, answer.slice(0, 3)],
    );
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { responses }]) => [
        `${method.toUpperCase()} ${path}`,
        Object.keys(responses).find((status) => status.startsWith('2')),
      ]),
    );
    expect(listed.sort()).toEqual(described.sort());
  });

  it.each(TABLES)('has in the table of %s the fields of %s, and no other', (title, schema) => {
    const listed = tableRows(section(api, title)).flatMap(([fields = '']) => fields.split(', '));
    expect(listed.sort()).toEqual(fieldsOf(schema).sort());
  });

  it.each(QUERIES)('has in the table of %s the query of %s, and no other', (title, path) => {
    const rows = tableRows(section(api, title)).flatMap(([names = '', rule = '']) =>
      names.split(', ').map((name): [string, string] => [name, rule]),
    );
    const query = queryOf(path);
    expect(rows.map(([name]) => name).sort()).toEqual(query.map(({ name }) => name).sort());
    const rules = new Map(rows);
    for (const parameter of query) {
      for (const told of boundsOf(parameter)) expect(rules.get(parameter.name)).toContain(told);
    }
  });

  it.each(QUERY_SENTENCES)('tells in a sentence of %s the query of %s', (title, path) => {
    const [, from = ''] = section(api, title).split(`\`GET ${path}\``);
    const [sentence = ''] = from.split(/\n- |\n\n/);
    const parameters = queryOf(path);
    expect(parameters.length).toBeGreaterThan(0);
    for (const parameter of parameters) {
      for (const told of [`\`${parameter.name}\``, ...boundsOf(parameter)]) {
        expect(sentence).toContain(told);
      }
    }
  });

  it('tells the queries of no other operation than these', () => {
    const asked = Object.entries(document.paths)
      .filter(([, operations]) =>
        Object.values(operations).some(({ parameters }) =>
          parameters.some((parameter) => parameter.in === 'query'),
        ),
      )
      .map(([path]) => path);
    expect(asked.sort()).toEqual([...QUERIES, ...QUERY_SENTENCES].map(([, path]) => path).sort());
  });

  it.each(SENTENCES)('tells in %s every field of %s', (title, schema) => {
    const fields = fieldsOf(schema);
    expect(fields).not.toEqual([]);
    const code =
      section(api, title)
        .match(/`[^`]*`/g)
        ?.join(' ') ?? '';
    expect(fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(code))).toEqual([]);
  });

  it('tells in 3.9 every field of CurrentKey that 3.2 does not', () => {
    const text = section(api, '3.9 A key about itself');
    const ofBoth = fieldsOf('Key');
    const own = fieldsOf('CurrentKey').filter((field) => !ofBoth.includes(field));
    expect(own.length).toBeGreaterThan(3);
    expect(own.filter((field) => !text.includes(`\`${field}\``))).toEqual([]);
  });

  it('tells of every schema of the document', () => {
    const told = [...TABLES, ...SENTENCES].map(([, schema]) => schema);
    expect(new Set([...told, ...ELSEWHERE, ...PARTS])).toEqual(
      new Set(Object.keys(document.components.schemas)),
    );
  });

  it('names every projection', () => {
    const text = section(read('docs/cli.md'), 'Projections');
    expect(PROJECTIONS.filter(({ name }) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});

/** The value in the words of a rule. */
function boundsOf({ schema }: DescribedParameter): string[] {
  const { default: usual, maximum } = schema;
  return [
    ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
    ...(maximum === undefined ? [] : [`1 to ${maximum}`]),
  ];
}
