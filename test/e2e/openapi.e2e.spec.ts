import { beforeAll, describe, expect, it } from '@jest/globals';
import { VERSION } from '../../src/version.js';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import {
  type ApiDescription,
  type DescribedOperation,
  schemasOf,
} from '../harness/api-description.js';
import { createKey } from '../harness/api-keys.js';
import type { HttpClient } from '../harness/http-client.js';
import { routesOf } from '../harness/routes-of.js';
import { runningApp } from '../harness/running-app.js';
import {
  createWorkspace,
  type MemberList,
  type WorkspaceList,
} from '../harness/workspace-routes.js';

/** Routes for operators and for readers, which the document leaves out. */
const UNDESCRIBED = /^\/(?:$|health|metrics|docs|openapi\.)/;

/** Gives the answers of the workspace routes, each with its route and status. */
async function answersOfWorkspaces(
  client: HttpClient,
): Promise<(readonly [route: string, status: string, body: unknown])[]> {
  const made = await createWorkspace(client, { name: 'Europe', slug: 'eu' });
  const one = '/v1/workspaces/eu';
  const { body: list } = await client.get<WorkspaceList>('/v1/workspaces');
  const { body: members } = await client.get<MemberList>('/v1/workspaces/default/members');
  const user_ids = members.data.map(({ user_id }) => user_id);
  const named = '/v1/workspaces/{workspace}';
  return [
    ['POST /v1/workspaces', '201', { data: made }],
    ['GET /v1/workspaces', '200', list],
    [`GET ${named}`, '200', (await client.get(one)).body],
    [`PATCH ${named}`, '200', (await client.patch(one, { description: 'a' })).body],
    [`GET ${named}/members`, '200', members],
    [
      `POST ${named}/members/add`,
      '200',
      (await client.post(`${one}/members/add`, { user_ids })).body,
    ],
    [
      `POST ${named}/members/remove`,
      '200',
      (await client.post(`${one}/members/remove`, { user_ids })).body,
    ],
    [`DELETE ${named}`, '200', (await client.send('DELETE', one)).body],
  ];
}

describe('the OpenAPI document', () => {
  const service = runningApp();
  let description: ApiDescription;
  let schemaOf: (schema: object) => ValidateFunction;

  beforeAll(async () => {
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
    schemaOf = schemasOf(description);
  });

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
    // The route of gateways is not an Express route. It accepts every method and every path below it.
    answered.push('GET /v1/authorize');
    expect(described.sort()).toEqual([...new Set(answered)].sort());
    expect(described).toEqual(
      expect.arrayContaining([
        'DELETE /v1/end-users/{user}',
        'GET /v1/end-users',
        'GET /v1/end-users/{user}',
        'PATCH /v1/end-users/{user}',
        'DELETE /v1/keys/{hash}',
        'GET /v1/end-users',
        'GET /v1/key',
        'GET /v1/keys',
        'GET /v1/keys/{hash}',
        'PATCH /v1/keys/{hash}',
        'POST /v1/end-users',
        'POST /v1/keys',
      ]),
    );
  });

  it('gives every operation an id of its own', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids.every(Boolean)).toBe(true);
  });

  it('has for every answer a schema, an X-Request-Id header and an example that fits the schema', () => {
    for (const { route, responses } of operations()) {
      for (const [status, { headers, content }] of Object.entries(responses)) {
        const where = `${route} ${status}`;
        expect({ where, headers }).toMatchObject({
          headers: { 'X-Request-Id': expect.anything() },
        });
        if (status === '204' || where === 'GET /v1/authorize 200') {
          expect({ where, content }).toEqual({ where, content: undefined });
          continue;
        }
        const { schema = {}, example, examples = {} } = content?.['application/json'] ?? {};
        const values = Object.values(examples).map(({ value }) => value);
        if (example !== undefined) values.push(example);
        expect({ where, examples: values.length > 0 }).toEqual({ where, examples: true });
        expect({ where, keys: Object.keys(schema).length > 0 }).toEqual({ where, keys: true });
        const validate = schemaOf(schema);
        for (const value of values) {
          validate(value);
          expect({ where, errors: validate.errors }).toEqual({ where, errors: null });
        }
      }
    }
  });

  it('has in every error example the status as its code', () => {
    for (const { responses } of operations()) {
      for (const [status, { content }] of Object.entries(responses)) {
        const { examples = {} } = content?.['application/json'] ?? {};
        for (const { value } of Object.values(examples)) {
          expect(value).toMatchObject({ error: { code: Number(status) } });
        }
      }
    }
  });

  it('describes what the service really answers, field for field', async () => {
    const { client } = service;
    const { data, key } = await createKey(client, { limit: 5, external: { user: 'ada' } });
    const patched = `/v1/keys/${data.hash}`;
    const current = await client.as(key).get('/v1/key');
    const registered = await client.post('/v1/end-users', { user: 'ada' });
    const deactivated = await client.patch('/v1/end-users/ada', { is_active: false });
    const answers: readonly (readonly [string, string, unknown])[] = [
      ['POST /v1/keys', '201', { data, key }],
      ['PATCH /v1/keys/{hash}', '200', (await client.patch(patched, { limit: null })).body],
      ['GET /v1/keys', '200', (await client.get('/v1/keys')).body],
      ['GET /v1/keys/{hash}', '200', (await client.get(patched)).body],
      ['GET /v1/key', '200', current.body],
      ['GET /v1/key', '200', (await client.get('/v1/key')).body],
      ['DELETE /v1/keys/{hash}', '200', (await client.delete(patched)).body],
      ['POST /v1/end-users', '201', registered.body],
      ['GET /v1/end-users', '200', (await client.get('/v1/end-users')).body],
      ['GET /v1/end-users/{user}', '200', (await client.get('/v1/end-users/ada')).body],
      ['PATCH /v1/end-users/{user}', '200', deactivated.body],
    ];
    const trail = await client.get<{ data: { id: string }[] }>('/v1/audit-events');
    const [event] = trail.body.data;
    const one = await client.get(`/v1/audit-events/${event?.id ?? ''}`);
    const audited = [
      ['GET /v1/audit-events', '200', trail.body],
      ['GET /v1/audit-events/{id}', '200', one.body],
    ] as const;
    const workspaces = await answersOfWorkspaces(client);
    for (const [route, status, body] of [...answers, ...workspaces, ...audited]) {
      const operation = operations().find((described) => described.route === route);
      const { schema = {} } = operation?.responses[status]?.content?.['application/json'] ?? {};
      const validate = schemaOf(schema);
      validate(body);
      expect({ route, errors: validate.errors }).toEqual({ route, errors: null });
    }
    const fieldsOf = (name: string): string[] =>
      Object.keys((description.components.schemas[name] as { properties: object }).properties);
    expect(fieldsOf('Key').sort()).toEqual(Object.keys(data).sort());
    const { data: ofItself } = current.body as { data: object };
    expect(fieldsOf('CurrentKey').sort()).toEqual(Object.keys(ofItself).sort());
    const { data: workspace } = workspaces[0]?.[2] as { data: object };
    expect(fieldsOf('Workspace').sort()).toEqual(Object.keys(workspace).sort());
    const { data: endUser } = registered.body as { data: object };
    expect(fieldsOf('EndUser').sort()).toEqual(Object.keys(endUser).sort());
    expect(fieldsOf('AuditEvent').sort()).toEqual(Object.keys(event ?? {}).sort());
  });

  it('has one success for every operation', () => {
    const successes = operations().map(({ route, responses }) => [
      route,
      Object.keys(responses).filter((status) => Number(status) < 400),
    ]);
    expect(Object.fromEntries(successes)).toMatchObject({
      'POST /v1/keys': ['201'],
      'PATCH /v1/keys/{hash}': ['200'],
      'GET /v1/keys': ['200'],
      'GET /v1/keys/{hash}': ['200'],
      'DELETE /v1/keys/{hash}': ['200'],
      'GET /v1/key': ['200'],
      'POST /v1/end-users': ['201'],
      'GET /v1/end-users': ['200'],
      'GET /v1/end-users/{user}': ['200'],
      'PATCH /v1/end-users/{user}': ['200'],
      'DELETE /v1/end-users/{user}': ['204'],
    });
  });

  it('takes bodies on end users that have no other fields, as the service does', async () => {
    const { body } = await service.client.get<ApiDescription>('/openapi.json');
    for (const name of ['RegisterEndUserRequest', 'UpdateEndUserRequest']) {
      expect(body.components.schemas[name]).toMatchObject({ additionalProperties: false });
    }
  });
});
