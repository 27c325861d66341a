import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiDescription, schemasOf } from '../support/harness/api-description.js';
import type { CreatedKey } from '../support/harness/api-keys.js';
import type { Answer } from '../support/harness/http-client.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import type { MemberList } from '../support/harness/workspace-routes.js';

interface OfRecord {
  readonly data: object;
}

type Answered = (readonly [route: string, answer: Answer])[];

async function answersOnKeys({ client, managementKey }: TestAccount): Promise<Answered> {
  const wanted = { name: 'a', limit: 5, external: { user: 'ada' } };
  const created = await client.post<CreatedKey>('/v1/keys', wanted);
  const { key, data } = created.body;
  const one = `/v1/keys/${data.hash}`;
  const gateway = { 'Keyledger-Authorization': `Bearer ${managementKey}` };
  const form = Buffer.from(`token=${key}`);
  return [
    ['POST /v1/keys', created],
    ['GET /v1/keys', await client.get('/v1/keys')],
    ['GET /v1/keys/{hash}', await client.get(one)],
    ['PATCH /v1/keys/{hash}', await client.patch(one, { limit: null })],
    ['GET /v1/key', await client.as(key).get('/v1/key')],
    ['GET /v1/key', await client.get('/v1/key')],
    ['POST /v1/keys/verify', await client.post('/v1/keys/verify', { key })],
    ['POST /v1/keys/verify', await client.post('/v1/keys/verify', { key: 'unknown' })],
    ['POST /v1/oauth/introspect', await client.post('/v1/oauth/introspect', form)],
    ['GET /v1/authorize', await client.as(key).get('/v1/authorize', { headers: gateway })],
    ['GET /v1/authorize', await client.as('unknown').get('/v1/authorize', { headers: gateway })],
    ['DELETE /v1/keys/{hash}', await client.delete(one)],
    ['DELETE /v1/keys/{hash}', await client.delete(one)],
  ];
}

async function answersOnEndUsers({ client }: TestAccount): Promise<Answered> {
  const one = '/v1/end-users/ada';
  return [
    ['POST /v1/end-users', await client.post('/v1/end-users', { user: 'ada' })],
    ['POST /v1/end-users', await client.post('/v1/end-users', { user: 'ada' })],
    ['GET /v1/end-users', await client.get('/v1/end-users')],
    ['GET /v1/end-users/{user}', await client.get(one)],
    ['PATCH /v1/end-users/{user}', await client.patch(one, { is_active: false })],
    ['DELETE /v1/end-users/{user}', await client.delete(one)],
  ];
}

async function answersOnWorkspaces({ client }: TestAccount): Promise<Answered> {
  const created = await client.post('/v1/workspaces', { name: 'Europe', slug: 'eu' });
  const members = await client.get<MemberList>('/v1/workspaces/default/members');
  const user_ids = members.body.data.map(({ user_id }) => user_id);
  const one = '/v1/workspaces/eu';
  const named = '/v1/workspaces/{workspace}';
  return [
    ['POST /v1/workspaces', created],
    ['GET /v1/workspaces', await client.get('/v1/workspaces')],
    [`GET ${named}`, await client.get(one)],
    [`PATCH ${named}`, await client.patch(one, { description: 'a' })],
    [`GET ${named}/members`, members],
    [`POST ${named}/members/add`, await client.post(`${one}/members/add`, { user_ids })],
    [`POST ${named}/members/remove`, await client.post(`${one}/members/remove`, { user_ids })],
    [`DELETE ${named}`, await client.delete(one)],
  ];
}

async function answersOnAuditTrail({ client }: TestAccount): Promise<Answered> {
  const list = await client.get<{ data: { id: string }[] }>('/v1/audit-events');
  const id = list.body.data[0]?.id ?? 'none';
  return [
    ['GET /v1/audit-events', list],
    ['GET /v1/audit-events/{id}', await client.get(`/v1/audit-events/${id}`)],
  ];
}

/** The schemas of records, each with a route whose answer has one. */
const RECORDS = {
  Key: 'GET /v1/keys/{hash}',
  CurrentKey: 'GET /v1/key',
  Verification: 'POST /v1/keys/verify',
  EndUser: 'GET /v1/end-users/{user}',
  Workspace: 'GET /v1/workspaces/{workspace}',
  AuditEvent: 'GET /v1/audit-events/{id}',
};

describe('what the service answers', () => {
  const service = runningApp();
  let description: ApiDescription;
  let answers: Answered;

  beforeAll(async () => {
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
    const account = await service.openAccount();
    answers = [
      ...(await answersOnKeys(account)),
      ...(await answersOnEndUsers(account)),
      ...(await answersOnWorkspaces(account)),
      ...(await answersOnAuditTrail(account)),
    ];
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
    const { data } = answer?.body as OfRecord;
    expect(Object.keys(data).sort()).toEqual(Object.keys(schema.properties).sort());
  });
});
