import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Unavailable } from '../../src/kernel/errors.js';
import { type ApiDescription, schemasOf } from '../harness/api-description.js';
import { createKey } from '../harness/api-keys.js';
import type { ErrorBody } from '../../src/http/error-body.js';
import type { Answer, Call } from '../harness/http-client.js';
import { type RunningApp, startApp, type TestAccount } from '../harness/running-app.js';
import { makeWorkspace } from '../harness/workspaces.js';

/** What a request that gets a certain error is made of. */
interface Fixture {
  readonly service: RunningApp;
  readonly account: TestAccount;
  readonly individual: TestAccount;
  /** Its management key has created as many keys as it may. */
  readonly exhausted: TestAccount;
  readonly apiKey: string;
  /** Of a key in a workspace that is restricted to `eu-only`. */
  readonly hash: string;
  /** The workspace of that key. */
  readonly crowded: string;
  /** As restricted, and without members. */
  readonly deserted: string;
}

type Provoke = (fixture: Fixture) => Call & { readonly path?: string; readonly fault?: unknown };

const UNKNOWN_WORKSPACE: Provoke = () => ({ body: { name: 'a', workspace_id: 'none' } });

const SHARED: Readonly<Record<string, Provoke>> = {
  'authentication-missing': () => ({ headers: { Authorization: '' } }),
  'authentication-malformed': () => ({ headers: { Authorization: 'Basic x' } }),
  'key-invalid': () => ({ key: 'nobody-has-this' }),
  'not-a-management-key': ({ apiKey }) => ({ key: apiKey }),
  'internal-error': () => ({ fault: new Error('broken') }),
  unavailable: () => ({ fault: new Unavailable('event log', new Error('gone')) }),
};

const WITH_BODY: Readonly<Record<string, Provoke>> = {
  ...SHARED,
  'body-too-large': () => ({ body: 'x'.repeat(200_000) }),
  'encoding-unsupported': () => ({ body: '{}', headers: { 'Content-Encoding': 'compact' } }),
};

/** Of adding and removing members alike. */
const MEMBERSHIP = (verb: 'add' | 'remove'): Readonly<Record<string, Provoke>> => ({
  ...WITH_BODY,
  'request-invalid': () => ({ body: { user_ids: [] } }),
  'not-found': () => ({ path: `/v1/workspaces/nowhere/members/${verb}` }),
  'default-workspace-members-fixed': () => ({ path: `/v1/workspaces/default/members/${verb}` }),
  'member-unknown': () => ({ body: { user_ids: ['user-nobody'] } }),
});

/** Every error that an operation can give, and a request that gets it. */
const ERRORS: Readonly<Record<string, Readonly<Record<string, Provoke>>>> = {
  'POST /v1/keys': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { name: 'a', limit: -1 } }),
    'workspace-unknown': UNKNOWN_WORKSPACE,
    'rate-limited': ({ exhausted }) => ({ key: exhausted.managementKey, body: { name: 'a' } }),
  },
  'PATCH /v1/keys/{hash}': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { disabled: 'yes' } }),
    'no-update-fields': () => ({ body: {} }),
    'workspace-unknown': UNKNOWN_WORKSPACE,
    'not-found': () => ({ body: { name: 'b' }, path: `/v1/keys/${'ab'.repeat(32)}` }),
    'restrictions-incompatible': ({ account }) => ({
      body: { workspace_id: account.defaultWorkspaceId },
    }),
    'creator-not-a-member': ({ deserted }) => ({ body: { workspace_id: deserted } }),
  },
  'POST /v1/end-users': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { user: 'ada', email: 'ada@example.com' } }),
    'organization-required': ({ individual }) => ({
      key: individual.managementKey,
      body: { user: 'ada' },
    }),
    'end-user-already-registered': () => ({ body: { user: 'taken' } }),
  },
  'GET /v1/end-users': {
    ...SHARED,
    'request-invalid': () => ({ path: '/v1/end-users?limit=0' }),
    'organization-required': ({ individual }) => ({ key: individual.managementKey }),
  },
  'POST /v1/workspaces': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { name: '' } }),
    'workspace-slug-taken': () => ({ body: { name: 'a', slug: 'default' } }),
  },
  'GET /v1/workspaces': {
    ...SHARED,
    'request-invalid': () => ({ path: '/v1/workspaces?limit=0' }),
  },
  'GET /v1/workspaces/{workspace}': {
    ...SHARED,
    'not-found': () => ({ path: '/v1/workspaces/nowhere' }),
  },
  'PATCH /v1/workspaces/{workspace}': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { name: '' } }),
    'no-update-fields': () => ({ body: {} }),
    'not-found': () => ({ path: '/v1/workspaces/nowhere' }),
    'workspace-slug-taken': () => ({ body: { slug: 'default' } }),
  },
  'DELETE /v1/workspaces/{workspace}': {
    ...SHARED,
    'not-found': () => ({ path: '/v1/workspaces/nowhere' }),
    'default-workspace-not-deletable': () => ({ path: '/v1/workspaces/default' }),
    'workspace-holds-keys': () => ({}),
  },
  'GET /v1/workspaces/{workspace}/members': {
    ...SHARED,
    'not-found': () => ({ path: '/v1/workspaces/nowhere/members' }),
  },
  'POST /v1/workspaces/{workspace}/members/add': MEMBERSHIP('add'),
  'POST /v1/workspaces/{workspace}/members/remove': MEMBERSHIP('remove'),
};

const CASES = Object.entries(ERRORS).flatMap(([route, errors]) =>
  Object.entries(errors).map(([code, provoke]) => [route, code, provoke] as const),
);

describe('the errors of the OpenAPI document', () => {
  let service: RunningApp;
  let fixture: Fixture;
  let description: ApiDescription;

  beforeAll(async () => {
    service = await startApp({ RATE_LIMIT_KEY_CREATION: '3/60s' });
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
    const account = await service.openAccount();
    const exhausted = await service.openAccount();
    for (let count = 0; count < 3; count += 1) await createKey(exhausted.client);
    const restrictions = ['eu-only'];
    const workspace_id = await makeWorkspace(service, account, { restrictions });
    const { data, key } = await createKey(account.client, { workspace_id });
    await account.client.post('/v1/end-users', { user: 'taken' });
    fixture = {
      service,
      account,
      exhausted,
      individual: await service.openAccount('individual'),
      apiKey: key,
      hash: data.hash,
      crowded: workspace_id,
      deserted: await makeWorkspace(service, account, { restrictions }),
    };
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  afterAll(async () => {
    await service.stop();
  });

  async function provoked(route: string, provoke: Provoke): Promise<Answer> {
    const [method = '', template = ''] = route.split(' ');
    const own = template.replace('{hash}', fixture.hash).replace('{workspace}', fixture.crowded);
    const { fault, path = own, ...call } = provoke(fixture);
    const bus = service.app.get(method === 'GET' ? QueryBus : CommandBus);
    if (fault !== undefined) jest.spyOn(bus, 'execute').mockRejectedValueOnce(fault);
    const body = route.endsWith('/end-users') ? { user: 'a' } : { name: 'a', user_ids: ['a'] };
    return fixture.account.client.send(method, path, {
      ...(method !== 'GET' && { body }),
      ...call,
    });
  }

  function described(route: string): Map<string, { status: string; value: unknown }> {
    const [method = '', path = ''] = route.split(' ');
    const responses = description.paths[path]?.[method.toLowerCase()]?.responses ?? {};
    return new Map(
      Object.entries(responses).flatMap(([status, { content }]) =>
        Object.entries(content?.['application/json']?.examples ?? {}).map(
          ([code, { value }]) => [code, { status, value }] as const,
        ),
      ),
    );
  }

  it('are those that can happen, for every operation', () => {
    const routes = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.sort()).toEqual(Object.keys(ERRORS).sort());
    for (const [route, errors] of Object.entries(ERRORS)) {
      const codes = [...described(route).keys()].sort();
      expect({ route, codes }).toEqual({ route, codes: Object.keys(errors).sort() });
    }
  });

  it.each(CASES)('%s answers %s as its example says', async (route, code, provoke) => {
    const answer = await provoked(route, provoke);
    const { status, value } = described(route).get(code) ?? {};
    const { error } = answer.body as ErrorBody;
    expect({ status: String(answer.status), error }).toEqual({
      status,
      error: (value as ErrorBody).error,
    });
    const validate = schemasOf(description)({ $ref: '#/components/schemas/Error' });
    validate(answer.body);
    expect(validate.errors).toBeNull();
  });

  it.each(CASES)('%s sends with %s the headers that are described', async (route, _, provoke) => {
    const answer = await provoked(route, provoke);
    const [method = '', path = ''] = route.split(' ');
    const operation = description.paths[path]?.[method.toLowerCase()];
    const names = Object.keys(operation?.responses[answer.status]?.headers ?? {});
    expect(names).toContain('X-Request-Id');
    const missing = names.filter((name) => answer.headers.get(name) === null);
    expect(missing).toEqual([]);
  });
});
