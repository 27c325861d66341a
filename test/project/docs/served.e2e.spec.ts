import { beforeAll, describe, expect, it } from '@jest/globals';
import { PROJECTIONS } from '../../support/declared.js';
import type { ApiDescription, DescribedParameter } from '../../support/harness/api-description.js';
import { eventually } from '../../support/harness/eventually.js';
import { scrape, type Scrape } from '../../support/harness/exposed-metrics.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { runningApp } from '../../support/harness/running-app.js';
import { read, section, tableRows } from './markdown.js';

const service = runningApp();

interface Written {
  readonly title: string;
  readonly status: number;
  readonly text: string;
}

function requests(): Written[] {
  const [, ...parts] = read('docs/api.http').split(/^### /m);
  return parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n');
    const [, status, title = ''] = /^(\d{3}) (.+)$/.exec(heading) ?? [];
    return { title, status: Number(status), text: lines.join('\n').trim() };
  });
}

describe('docs/api.http', () => {
  it('gets from a new service, sent in order, the statuses that it names', async () => {
    const got: [string, number][] = [];
    for (const { title, text } of requests()) {
      const filled = text
        .replaceAll('{{address}}', service.address)
        .replaceAll('{{key}}', service.managementKey);
      const [head = '', body] = filled.split('\n\n');
      const [target = '', ...fields] = head.split('\n');
      const [method = '', url = ''] = target.split(' ');
      const headers = Object.fromEntries(
        fields.map((field): [string, string] => {
          const [name = '', value = ''] = field.split(': ');
          return [name, value];
        }),
      );
      const path = url.replace(service.address, '');
      const call = { headers, ...(body !== undefined && { body }) };
      const answer = await new HttpClient(service.address).send(method, path, call);
      got.push([title, answer.status]);
    }
    expect(got).toEqual(requests().map(({ title, status }) => [title, status]));
    expect(got.length).toBeGreaterThan(0);
  });
});

describe('docs/openapi.yaml', () => {
  it('is what the service serves (`npm run openapi` writes it)', async () => {
    const { text } = await service.client.get('/openapi.yaml');
    expect(read('docs/openapi.yaml')).toBe(text);
  });
});

describe('docs/metrics.md', () => {
  let exposed: Scrape;

  beforeAll(async () => {
    exposed = await eventually('a request that was measured', async () => {
      const seen = await scrape(service.client);
      return seen.value('keyledger_http_request_duration_seconds_count') !== undefined && seen;
    });
  });

  it('lists every metric of the service with its type and labels, and no other', () => {
    const metrics = exposed.metrics.filter(({ name }) => name.startsWith('keyledger_'));
    const rows = metrics.map(({ name, type, labels }) => [name, type, labels.join(', ') || 'none']);
    const listed = tableRows(read('docs/metrics.md')).map((row) => row.slice(0, 3));
    expect(listed.sort()).toEqual(rows.sort());
  });
});

const api = read('docs/api.md');

/** Sections whose table has the fields of a schema, one or several in a row. */
const TABLES = [
  ['2.6 Workspaces over HTTP', 'Workspace'],
  ['2.11 Management keys over HTTP', 'ManagementKey'],
  ['3.2 The key record', 'Key'],
  ['3.3 Creating a key', 'CreateKeyRequest'],
  ['5.1 The end-user record', 'EndUser'],
  ['11.1 An audit event', 'AuditEvent'],
  ['12.2 Verifying a key', 'Verification'],
  ['12.5 Introspection', 'Introspection'],
  ['13.2 The answer to a report', 'UsageReport'],
  ['13.4 Reading and reversing', 'StoredUsageReport'],
  ['14.1 The activity row', 'Activity'],
  ['15.1 The budget', 'EndUserBudget'],
] as const;
/** Sections that name the fields in sentences or in a shared table, as code. */
const SENTENCES = [
  ['2.6 Workspaces over HTTP', 'CreateWorkspaceRequest'],
  ['2.6 Workspaces over HTTP', 'UpdateWorkspaceRequest'],
  ['2.7 Members over HTTP', 'WorkspaceMembersRequest'],
  ['2.11 Management keys over HTTP', 'CreateManagementKeyRequest'],
  ['2.12 Members of an organization over HTTP', 'AccountMember'],
  ['3.3 Creating a key', 'ExternalIdentity'],
  ['3.11 Rotation', 'KeyString'],
  ['3.11 Rotation', 'RotateKeyRequest'],
  ['3.11 Rotation', 'PutStringRequest'],
  ['4.1 The body', 'UpdateKeyRequest'],
  ['4.4 Changing the expiry', 'ChangeExpiryRequest'],
  ['5.2 Registering', 'RegisterEndUserRequest'],
  ['5.6 Deactivating', 'UpdateEndUserRequest'],
  ['12.2 Verifying a key', 'VerifyKeyRequest'],
  ['12.2 Verifying a key', 'VerifiedKey'],
  ['12.5 Introspection', 'IntrospectKeyRequest'],
  ['12.2 Verifying a key', 'ExceededLimit'],
  ['15.1 The budget', 'SpentBudget'],
  ['15.1 The budget', 'Budget'],
  ['15.1 The budget', 'SetBudgetRequest'],
] as const;
/** Sections whose table has the query parameters of an operation, one or several in a row. */
const QUERIES = [
  ['3.7 Listing', '/v1/keys'],
  ['5.3 Listing', '/v1/end-users'],
  ['11.2 Listing and reading', '/v1/audit-events'],
  ['11.6 The feed', '/v1/events'],
  ['14.2 Listing', '/v1/activity'],
] as const;
/** Sections that name the parameters in a sentence. */
const QUERY_SENTENCES = [
  ['2.6 Workspaces over HTTP', '/v1/workspaces'],
  ['2.7 Members over HTTP', '/v1/workspaces/{workspace}/members'],
  ['2.11 Management keys over HTTP', '/v1/management-keys'],
  ['2.12 Members of an organization over HTTP', '/v1/members'],
  ['12.4 Forward authentication', '/v1/authorize'],
] as const;
/** Schemas that the document shows in words, or in a table of another form. */
const ELSEWHERE = ['CurrentKey', 'Error'];
/** Schemas that are parts of other records. The rows of those records describe them. */
const PARTS = [
  'AuditActor',
  'AuditTarget',
  'CurrentAccount',
  'ExternalUser',
  'FreeModelRequests',
  'LimitInterval',
  'LimitReset',
  'Member',
  'RateLimit',
  'Reporter',
];

describe('docs/api.md', () => {
  let document: ApiDescription;

  beforeAll(async () => {
    ({ body: document } = await service.client.get<ApiDescription>('/openapi.json'));
  });

  const fieldsOf = (schema: string): string[] => {
    const described: { readonly properties?: object } = document.components.schemas[schema] ?? {};
    return Object.keys(described.properties ?? {});
  };

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
    const text = section(api, '3.9 The current key');
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
  const { default: usual, minimum = 1, maximum } = schema;
  return [
    ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
    ...(maximum === undefined ? [] : [`${minimum} to ${maximum}`]),
  ];
}
