import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiDescription, schemasOf } from '../support/harness/api-description.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { type Answered, goodAnswers } from '../support/harness/good-answers.js';
import { goodBodyOf, isQuery } from '../support/harness/good-requests.js';
import type { Answer } from '../support/harness/http-client.js';
import { accountOf, runningApp } from '../support/harness/running-app.js';
import { createWorkspace } from '../support/harness/workspace-routes.js';

const service = runningApp();
let description: ApiDescription;

beforeAll(async () => {
  description = (await service.client.get<ApiDescription>('/openapi.json')).body;
});

interface OfRecord {
  readonly data: object;
}

/** The schemas of records, each with a route whose answer has one. */
const RECORDS = {
  Key: 'GET /v1/keys/{hash}',
  CurrentKey: 'GET /v1/key',
  Verification: 'POST /v1/keys/verify',
  UsageReport: 'PUT /v1/usage-reports/{report_id}',
  StoredUsageReport: 'GET /v1/usage-reports/{report_id}',
  EndUser: 'GET /v1/end-users/{user}',
  Workspace: 'GET /v1/workspaces/{workspace}',
  AuditEvent: 'GET /v1/audit-events/{id}',
};

describe('what the service answers', () => {
  let answers: Answered;

  beforeAll(async () => {
    const account = await service.openAccount();
    answers = await goodAnswers(account);
  });

  it('is what the OpenAPI document says, for every operation', () => {
    const described = Object.entries(description.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect([...new Set(answers.map(([route]) => route))].sort()).toEqual(described.sort());
    const schemaOf = schemasOf(description);
    for (const [route, { status, body, headers }] of answers) {
      const [method = '', path = ''] = route.split(' ');
      const responses = description.paths[path]?.[method.toLowerCase()]?.responses ?? {};
      const response = responses[status] ?? responses['default'];
      const { schema } = response?.content?.['application/json'] ?? {};
      const isSuccess = String(status) in responses;
      expect({ route, status, isSuccess }).toEqual({ route, status, isSuccess: status < 300 });
      expect({ route, hasBody: body !== undefined }).toEqual({
        route,
        hasBody: schema !== undefined,
      });
      const validate = schemaOf(schema ?? {});
      validate(body);
      expect({ route, errors: validate.errors }).toEqual({ route, errors: null });
      expect(headers.has('x-request-id')).toBe(true);
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('etag')).toBeNull();
    }
  });

  it.each(Object.entries(RECORDS))('has all fields of %s in %s, and no other', (name, route) => {
    const [, answer] = answers.find(([asked]) => asked === route) ?? [];
    const schema = description.components.schemas[name] as { readonly properties: object };
    const body = answer?.body as OfRecord | undefined;
    expect(Object.keys(body?.data ?? {}).sort()).toEqual(Object.keys(schema.properties).sort());
  });
});

interface BodySchema {
  readonly $ref?: string;
  readonly allOf?: readonly BodySchema[];
  readonly anyOf?: readonly BodySchema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, BodySchema>>;
}

interface Field {
  readonly route: string;
  readonly path: readonly string[];
  readonly required: boolean;
}

/** The fields of a change that may be null. */
const CAN_BE_NONE = ['limit', 'limit_reset', 'description', 'expires_at'];

function isChange({ route }: Field): boolean {
  return route.startsWith('PATCH') || route.endsWith('/expiry');
}

describe('null in a body', () => {
  const account = accountOf(service);
  let validatorOf: ReturnType<typeof schemasOf>;
  let hash: string;
  let workspace: string;
  let fields: readonly Field[];

  beforeAll(async () => {
    validatorOf = schemasOf(description);
    ({
      data: { hash },
    } = await createKey(account.client));
    ({ slug: workspace } = await createWorkspace(account.client));
    await account.client.post('/v1/end-users', { user: 'known' });
    await account.client.post('/v1/end-users', { user: 'taken' });
    fields = Object.entries(description.paths).flatMap(([path, operations]) =>
      Object.keys(operations).flatMap((method) => fieldsOf(`${method.toUpperCase()} ${path}`)),
    );
  });

  function schemaOf(route: string): object | undefined {
    const [method = '', path = ''] = route.split(' ');
    const operation = description.paths[path]?.[method.toLowerCase()];
    return operation?.requestBody?.content['application/json']?.schema;
  }

  function fieldsOf(route: string): Field[] {
    return fieldsWithin(route, schemaOf(route) ?? {}, []);
  }

  function fieldsWithin(route: string, schema: BodySchema, outer: readonly string[]): Field[] {
    const { required = [], properties = {} } = resolved(schema);
    return Object.entries(properties).flatMap(([name, property]) => {
      const path = [...outer, name];
      const field = { route, path, required: required.includes(name) };
      return [field, ...fieldsWithin(route, property, path)];
    });
  }

  function resolved({ $ref, allOf, anyOf, ...schema }: BodySchema): BodySchema {
    const [inner] = allOf ?? anyOf ?? [];
    if (inner) return resolved(inner);
    const name = $ref?.split('/').at(-1);
    return name === undefined ? schema : (description.components.schemas[name] ?? {});
  }

  /**
   * Gives a valid body of the route with another value of a field; undefined leaves the field out.
   */
  function bodyWith({ route, path }: Field, value?: null): Record<string, unknown> {
    const [name = '', inner] = path;
    const content = inner === undefined ? value : { user: 'ada', [inner]: value };
    return { ...goodBodyOf(route), [name]: content };
  }

  function send(route: string, body: object): Promise<Answer> {
    const [method = '', path = ''] = route.split(' ');
    const filled = path.replace('{hash}', hash).replace('{workspace}', workspace);
    const target = filled.replace('{user}', 'known').replace('{report_id}', randomUUID());
    return account.client.send(method, target, { body });
  }

  function fits(route: string, body: object): boolean {
    return validatorOf(schemaOf(route) ?? {})(body);
  }

  it('counts as absent in every optional field of a creation', async () => {
    const optional = fields.filter(
      ({ route, required }) => route.startsWith('POST') && !isQuery(route) && !required,
    );
    expect(optional.map(({ path }) => path.join('.')).sort()).toEqual(
      [
        ...['creator_user_id', 'expires_at', 'external', 'external.api_key', 'external.lookup_key'],
        ...['include_byok_in_limit', 'limit', 'limit_reset', 'workspace_id', 'grace_seconds'],
        ...['description', 'restrictions', 'slug'],
        ...['name', 'user_id', 'expires_at'],
      ].sort(),
    );
    for (const field of optional) {
      const { route, path } = field;
      const body = bodyWith(field, null);
      expect({ path, of: await sent(route, body) }).toEqual({
        path,
        of: await sent(route, bodyWith(field)),
      });
      expect({ path, fits: fits(route, body) }).toEqual({ path, fits: true });
    }
  });

  /** Gives the answer of a creation, without the values that are new each time. */
  async function sent(route: string, body: object): Promise<unknown> {
    const answer = await send(route, body);
    const { data } = answer.body as { data?: Record<string, unknown> };
    const { hash: _, id: __, slug, created_at: ___, ...same } = data ?? {};
    return { status: answer.status, ...same, slug: typeof slug };
  }

  it('is none in a field of an update that can be none', async () => {
    const some = fields.filter(
      (field) => isChange(field) && CAN_BE_NONE.includes(field.path[0] ?? ''),
    );
    expect(some).toHaveLength(CAN_BE_NONE.length);
    for (const field of some) {
      const body = bodyWith(field, null);
      const { status, body: answer } = await send(field.route, body);
      expect({ status, answer }).toMatchObject({
        status: 200,
        answer: { data: { [field.path.join()]: null } },
      });
      expect(fits(field.route, body)).toBe(true);
    }
  });

  it('is 400 in every other field, which it names', async () => {
    const others = fields.filter(
      (field) =>
        (field.required || isChange(field)) &&
        !(isChange(field) && CAN_BE_NONE.includes(field.path[0] ?? '')),
    );
    expect(others.length).toBeGreaterThan(10);
    for (const field of others) {
      const { route, path } = field;
      const body = bodyWith(field, null);
      expect(errorOf(await send(route, body), 400).paths).toEqual([path.join('.')]);
      expect({ route, path, fits: fits(route, body) }).toEqual({ route, path, fits: false });
    }
  });

  it('leaves the other name of a field to be used', async () => {
    const external = { user: 'ada', lookup_key: null, api_key: 'k' };
    expect((await send('POST /v1/keys', { name: 'a', external })).status).toBe(201);
    expect(fits('POST /v1/keys', { name: 'a', external })).toBe(true);
  });
});
