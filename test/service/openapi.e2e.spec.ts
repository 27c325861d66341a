import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';
import { ERROR_TABLE } from '../../src/edge/http/answers/error-table.js';
import { ACTIONS } from '../../src/features/audit-trail/domain/descriptions.js';
import { VERIFICATION_CODES } from '../../src/features/verification/domain/verification.js';
import { VERSION } from '../../src/kernel/version.js';
import {
  type ApiDescription,
  type DescribedOperation,
  type Json,
  objectsIn,
  schemasOf,
} from '../support/harness/api-description.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import { goodBodyOf } from '../support/harness/good-requests.js';
import { routesOf } from '../support/harness/routes-of.js';
import { runningApp } from '../support/harness/running-app.js';
import { createWorkspace } from '../support/harness/workspace-routes.js';

const service = runningApp();
let description: ApiDescription;

beforeAll(async () => {
  description = (await service.client.get<ApiDescription>('/openapi.json')).body;
});

/** Routes for operators and for readers, which the document leaves out. */
const UNDESCRIBED = /^\/(?:$|health|metrics|docs|openapi\.)/;

describe('the OpenAPI document', () => {
  function operations(): (DescribedOperation & { readonly route: string })[] {
    return Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        route: `${method.toUpperCase()} ${path}`,
      })),
    );
  }

  it('is served without a key, as JSON and as YAML', async () => {
    const anonymous = service.client.as(undefined);
    const json = await anonymous.get('/openapi.json');
    expect(json.status).toBe(200);
    expect(json.headers.get('content-type')).toMatch(/^application\/json/);
    const yaml = await anonymous.get('/openapi.yaml');
    expect(yaml.status).toBe(200);
    expect(parse(yaml.text)).toEqual(json.body);
  });

  it('is valid OpenAPI 3.0, of the version of the package', async () => {
    const validator = new Validator();
    // The validator changes its argument.
    const result = await validator.validate(structuredClone(description));
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe('3.0');
    expect(description).toMatchObject({ openapi: '3.0.0', info: { version: VERSION } });
  });

  it('describes every route that the service answers, and no other', () => {
    const answered = routesOf(service.app)
      .filter(({ path }) => !UNDESCRIBED.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const described = operations().map(({ route }) => route);
    // The route of gateways is not an Express route. It accepts every method and every path below
    // it.
    answered.push('GET /v1/authorize');
    expect(described.sort()).toEqual([...new Set(answered)].sort());
  });

  it('gives every operation an id of its own', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids.every(Boolean)).toBe(true);
  });

  it('has one answer for all errors of every operation', () => {
    for (const { route, responses } of operations()) {
      const { default: error } = responses;
      expect({ route, error }).toMatchObject({
        error: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      });
    }
  });

  it('leads from every operation to a table of all errors, which is served', async () => {
    const anonymous = service.client.as(undefined);
    for (const { responses } of operations()) {
      const [, link = ''] =
        /\[[^\]]+\]\(([^)]+)\)/.exec(responses['default']?.description ?? '') ?? [];
      // Both the page and the document are beside the folder of the table.
      const { pathname } = new URL(link, `${service.address}/docs`);
      expect(pathname).toBe('/docs/errors');
    }
    const { status, headers, text } = await anonymous.get('/docs/errors');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
    const rows = text.trimEnd().split('\n');
    expect(rows.map((row) => row.split(/ {2,}/).join(' '))).toEqual(
      Object.entries(ERROR_TABLE).map(([reason, one]) => `${reason} ${one.status} ${one.message}`),
    );
  });
});

/** Legal OpenAPI that generators of clients drop, refuse or turn into code that does not run. */
describe('the OpenAPI document, for generators of clients', () => {
  it('composes no schema but that of an amount, as fields beside a composition are dropped', () => {
    const composed = objectsIn(description).filter(
      (schema) => 'oneOf' in schema || 'anyOf' in schema || 'not' in schema,
    );
    const number = { type: 'number', minimum: 0, maximum: 1_000_000 };
    const text = { type: 'string', maxLength: 64, pattern: '^\\d+(\\.\\d+)?([eE][+-]?\\d+)?$' };
    expect(composed.map(({ anyOf }) => anyOf)).toEqual([
      [number, text],
      [number, text],
    ]);
    const referring = objectsIn(description).flatMap(({ allOf }) =>
      allOf === undefined ? [] : [allOf],
    );
    for (const members of referring) expect(members).toEqual([{ $ref: expect.any(String) }]);
  });

  it('has no type beside a reference that may be null, as the null is forgotten', () => {
    const references = objectsIn(description).filter((schema) => 'allOf' in schema);
    expect(references.filter(({ nullable }) => nullable === true).length).toBeGreaterThan(3);
    expect(references.filter((schema) => 'type' in schema)).toEqual([]);
  });

  it('has enumerations of lists that never grow, without null, as a client refuses every other word', () => {
    const lists = objectsIn(description).filter((schema) => 'enum' in schema);
    const resets = ['daily', 'weekly', 'monthly'];
    const closed = [resets, [...resets, 'lifetime'], ['402', '403', '429']];
    for (const { enum: words } of lists) expect(closed).toContainEqual(words);
    expect(lists.filter(({ nullable }) => nullable === true)).toEqual([]);
  });

  it('names the words of a list that may grow in its description', () => {
    const lists = [
      ['Error', 'reason', Object.keys(ERROR_TABLE)],
      ['AuditEvent', 'action', ACTIONS],
      ['Verification', 'code', VERIFICATION_CODES],
    ] as const;
    for (const [schema, name, words] of lists) {
      const fields = objectsIn(description.components.schemas[schema]).find((one) => name in one);
      const described = expect.stringContaining(words.join(', '));
      expect(fields?.[name]).toMatchObject({ type: 'string', description: described });
    }
  });

  it('has one type of body for each status and for each request', () => {
    const contents = objectsIn(description.paths).flatMap(({ content }) =>
      content ? [content] : [],
    );
    expect(contents.length).toBeGreaterThan(50);
    for (const content of contents) expect(Object.keys(content)).toHaveLength(1);
  });

  it('says of what type every value is, but for two that may be any', () => {
    const untyped = objectsIn(description).flatMap(({ properties = {}, schema, items }) =>
      [...Object.entries(properties as Json), ['schema', schema], ['items', items]].filter(
        ([, said]) =>
          typeof said === 'object' && !/"(type|\$ref|anyOf)":/.test(JSON.stringify(said)),
      ),
    );
    expect(untyped.map(([name]) => name)).toEqual(['before', 'after']);
  });

  it('says where an id in a path is a UUID', () => {
    const inPaths = objectsIn(description.paths).filter((one) => one['in'] === 'path');
    const uuids = inPaths.filter(({ schema }) => JSON.stringify(schema).includes('"uuid"'));
    expect(new Set(uuids.map(({ name }) => name))).toEqual(new Set(['id', 'report_id']));
  });

  it('has no licence without an address, and no contact', () => {
    expect(description).not.toHaveProperty('info.license');
    expect(description).not.toHaveProperty('info.contact');
  });

  it('asks for times in the one form that the service takes, which a client with a type for times would not send', () => {
    const requests = Object.values(description.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ parameters, requestBody }) => taken([parameters, requestBody]));
    const times = requests.filter(({ pattern }) => String(pattern).includes('T'));
    expect(times.map(({ format }) => format)).toEqual(times.map(() => undefined));
    expect(times.length).toBeGreaterThanOrEqual(3);
    expect(requests.filter(({ format }) => format === 'date-time')).toEqual([]);
  });

  /** Gives the objects in a value and in the components to which it refers. */
  function taken(value: unknown): Json[] {
    return objectsIn(value).flatMap((one) => {
      const { $ref: reference } = one;
      if (typeof reference !== 'string') return [one];
      return taken(description.components.schemas[reference.split('/').at(-1) ?? '']);
    });
  }
});

const ELSEWHERE = '2027-01-01T00:00:00+00:00';
const name = 'a';
const REPORT = 'PUT /v1/usage-reports/{report_id}';

/** Invalid bodies that a schema can detect. */
const BODIES: readonly (readonly [string, object])[] = [
  ['POST /v1/keys', { name: 'a\0' }],
  ['POST /v1/keys', { name, expires_at: ELSEWHERE }],
  ['POST /v1/keys', { name, creator_user_id: '\0' }],
  ['POST /v1/keys', { name, workspace_id: '' }],
  ['POST /v1/keys', { name, workspace_id: 'nowhere' }],
  ['POST /v1/keys', { name, external: { user: ' a' } }],
  ['POST /v1/keys', { name, external: { user: 'a', lookup_key: '\0' } }],
  ['PATCH /v1/keys/{hash}', {}],
  ['PATCH /v1/keys/{hash}', { name: '\0' }],
  ['PATCH /v1/keys/{hash}', { workspace_id: '' }],
  ['PUT /v1/keys/{hash}/expiry', {}],
  ['PUT /v1/keys/{hash}/expiry', { expires_at: null, name }],
  ['POST /v1/end-users', { user: 'a\u0085' }],
  ['POST /v1/end-users', { user: 'a', email: 'a' }],
  ['PATCH /v1/end-users/{user}', { is_active: true, user: 'a' }],
  ...[{}, { cost: 1, user: ' a' }, { cost: 1, more: null }].map(
    (fields) => [REPORT, { records: [{ key_hash: UNKNOWN_HASH, ...fields }] }] as const,
  ),
  ...[-1, 1_000_001, true, '1e', ' 1', '0.'.padEnd(65, '0')].map(
    (cost) => [REPORT, { records: [{ key_hash: UNKNOWN_HASH, cost }] }] as const,
  ),
  [REPORT, { records: [{ key_hash: 'A', cost: 1 }] }],
  [REPORT, { records: [] }],
  ['POST /v1/workspaces', { name: 'a\0' }],
  ['POST /v1/workspaces', { name, slug: 'a--b' }],
  ['POST /v1/workspaces', { name, description: '\0' }],
  ['POST /v1/workspaces', { name, restrictions: ['\0'] }],
  ['PATCH /v1/workspaces/{workspace}', {}],
  ['PATCH /v1/workspaces/{workspace}', { name: '' }],
  ['PATCH /v1/workspaces/{workspace}', { slug: 'a--b' }],
  ['PATCH /v1/workspaces/{workspace}', { restrictions: [''] }],
  ['POST /v1/workspaces/{workspace}/members/add', { user_ids: ['\0'] }],
];

/** Invalid parameters that a schema can detect, some with a good value. A time fits the others. */
const PARAMETERS: readonly (readonly [string, string, string, string?])[] = [
  ['/v1/keys', 'workspace_id', ''],
  ['/v1/end-users', 'user', 'a '],
  ['/v1/end-users/{user}', 'user', ' a'],
  ['/v1/audit-events', 'cursor', ''],
  ['/v1/audit-events', 'actor', '\0'],
  ['/v1/audit-events', 'target_id', ''],
  ['/v1/audit-events', 'from', ELSEWHERE],
  ['/v1/audit-events', 'to', ELSEWHERE],
  ['/v1/events', 'after', '', 'latest'],
  ['/v1/activity', 'cursor', ''],
  ['/v1/activity', 'workspace_id', 'ALL', 'all'],
  ['/v1/activity', 'user', ' a'],
];

describe('the requests of the OpenAPI document', () => {
  let validatorOf: ReturnType<typeof schemasOf>;
  let hash: string;
  let workspace: string;

  beforeAll(async () => {
    validatorOf = schemasOf(description);
    ({
      data: { hash },
    } = await createKey(service.client));
    ({ slug: workspace } = await createWorkspace(service.client));
    await service.client.post('/v1/end-users', { user: 'known' });
  });

  const filled = (path: string): string =>
    path
      .replace('{hash}', hash)
      .replace('{workspace}', workspace)
      .replace('{user}', 'known')
      .replace('{report_id}', randomUUID());

  function fits(route: string, body: object): boolean {
    const [method = '', path = ''] = route.split(' ');
    const operation = description.paths[path]?.[method.toLowerCase()];
    const schema = operation?.requestBody?.content['application/json']?.schema;
    if (!schema) throw new Error(`${route} takes no body`);
    return validatorOf(schema)(body);
  }

  it.each(BODIES)('%s refuses %j, as its schema does, and not a good one', async (route, body) => {
    const [method = '', path = ''] = route.split(' ');
    errorOf(await service.client.send(method, filled(path), { body }), 400);
    expect(fits(route, body)).toBe(false);
    expect(fits(route, goodBodyOf(route))).toBe(true);
  });

  it.each(PARAMETERS)(
    'GET %s refuses a %s that is %j, as its schema does',
    async (path, parameter, text, good = '2027-01-01T00:00:00Z') => {
      const operation = description.paths[path]?.['get'];
      const schema = operation?.parameters.find(({ name: known }) => known === parameter)?.schema;
      const given = encodeURIComponent(text);
      const inPath = path.includes(`{${parameter}}`);
      const target = inPath
        ? path.replace(`{${parameter}}`, given)
        : `${path}?${parameter === 'target_id' ? 'target_type=key&' : ''}${parameter}=${given}`;
      expect(errorOf(await service.client.get(target), 400).paths).toEqual([parameter]);
      const validate = validatorOf(schema ?? {});
      expect(validate(text)).toBe(false);
      expect(validate(good)).toBe(true);
    },
  );
});
