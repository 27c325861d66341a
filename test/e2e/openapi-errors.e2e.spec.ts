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
  readonly disabledKey: string;
  readonly expiredKey: string;
  /** Of a key in a workspace that is restricted to `eu-only`. */
  readonly hash: string;
  /** As restricted, and without members. */
  readonly deserted: string;
}

interface Provoked extends Call {
  readonly path?: string;
  readonly query?: string;
  /** In the path, instead of the end user who is there. */
  readonly user?: string;
  readonly fault?: unknown;
}

type Provoke = (fixture: Fixture) => Provoked;

const UNKNOWN_WORKSPACE: Provoke = () => ({ body: { name: 'a', workspace_id: 'none' } });

const UNKNOWN_KEY: Provoke = () => ({ path: `/v1/keys/${'ab'.repeat(32)}` });

const WITH_ANY_KEY: Readonly<Record<string, Provoke>> = {
  'authentication-missing': () => ({ headers: { Authorization: '' } }),
  'authentication-malformed': () => ({ headers: { Authorization: 'Basic x' } }),
  'key-invalid': () => ({ key: 'nobody-has-this' }),
  'internal-error': () => ({ fault: new Error('broken') }),
  unavailable: () => ({ fault: new Unavailable('event log', new Error('gone')) }),
};

const SHARED: Readonly<Record<string, Provoke>> = {
  ...WITH_ANY_KEY,
  'not-a-management-key': ({ apiKey }) => ({ key: apiKey }),
};

const WITH_BODY: Readonly<Record<string, Provoke>> = {
  ...SHARED,
  'body-too-large': () => ({ body: 'x'.repeat(200_000) }),
  'encoding-unsupported': () => ({ body: '{}', headers: { 'Content-Encoding': 'compact' } }),
};

/** Of the operations on end users, by method and what follows the name of the routes. */
const END_USER_ERRORS: Readonly<Record<string, Readonly<Record<string, Provoke>>>> = {
  'POST ': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { user: 'ada', email: 'ada@example.com' } }),
    'organization-required': ({ individual }) => ({
      key: individual.managementKey,
      body: { user: 'ada' },
    }),
    'end-user-already-registered': () => ({ body: { user: 'taken' } }),
  },
  'GET ': {
    ...SHARED,
    'request-invalid': () => ({ query: '?limit=0' }),
    'organization-required': ({ individual }) => ({ key: individual.managementKey }),
  },
  'GET /{user}': {
    ...SHARED,
    'request-invalid': () => ({ user: '%20a' }),
    'organization-required': ({ individual }) => ({ key: individual.managementKey }),
    'not-found': () => ({ user: 'nobody' }),
  },
  'PATCH /{user}': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { is_active: 'no' } }),
    'organization-required': ({ individual }) => ({ key: individual.managementKey }),
    'not-found': () => ({ user: 'nobody' }),
  },
  'DELETE /{user}': {
    ...SHARED,
    'request-invalid': () => ({ user: 'a%00' }),
    'organization-required': ({ individual }) => ({ key: individual.managementKey }),
    'not-found': () => ({ user: 'nobody' }),
  },
};

/** Every error that an operation can give, and a request that gets it. */
const ERRORS: Readonly<Record<string, Readonly<Record<string, Provoke>>>> = {
  'POST /v1/keys': {
    ...WITH_BODY,
    'request-invalid': () => ({ body: { name: 'a', limit: -1 } }),
    'workspace-unknown': UNKNOWN_WORKSPACE,
    'rate-limited': ({ exhausted }) => ({ key: exhausted.managementKey, body: { name: 'a' } }),
  },
  'GET /v1/keys': {
    ...SHARED,
    'request-invalid': () => ({ path: '/v1/keys?limit=0' }),
    'workspace-unknown': () => ({ path: '/v1/keys?workspace_id=none' }),
  },
  'GET /v1/keys/{hash}': { ...SHARED, 'not-found': UNKNOWN_KEY },
  'DELETE /v1/keys/{hash}': { ...SHARED, 'not-found': UNKNOWN_KEY },
  'GET /v1/key': {
    ...WITH_ANY_KEY,
    'key-disabled': ({ disabledKey }) => ({ key: disabledKey }),
    'key-expired': ({ expiredKey }) => ({ key: expiredKey }),
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
  ...endUserErrors('/v1/end-users'),
  ...endUserErrors('/v1/external-users'),
};

function endUserErrors(name: string): typeof END_USER_ERRORS {
  return Object.fromEntries(
    Object.entries(END_USER_ERRORS).map(([route, errors]) => [
      route.replace(' ', ` ${name}`),
      errors,
    ]),
  );
}

const CASES = Object.entries(ERRORS).flatMap(([route, errors]) =>
  Object.entries(errors).map(([code, provoke]) => [route, code, provoke] as const),
);

function goodBodyOf(route: string): object {
  if (route.endsWith('/{user}')) return { is_active: true };
  return route.endsWith('-users') ? { user: 'a' } : { name: 'a' };
}

describe('the errors of the OpenAPI document', () => {
  let service: RunningApp;
  let fixture: Fixture;
  let description: ApiDescription;

  beforeAll(async () => {
    service = await startApp({ RATE_LIMIT_KEY_CREATION: '3/60s' });
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
    const account = await service.openAccount();
    const exhausted = await service.openAccount();
    await createKey(exhausted.client);
    const disabled = await createKey(exhausted.client);
    await exhausted.client.patch(`/v1/keys/${disabled.data.hash}`, { disabled: true });
    const expired = await createKey(exhausted.client, { expires_at: '2001-01-01T00:00:00Z' });
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
      disabledKey: disabled.key,
      expiredKey: expired.key,
      hash: data.hash,
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
    const { fault, user = 'taken', query = '', ...rest } = provoke(fixture);
    const filled = template.replace('{hash}', fixture.hash).replace('{user}', user);
    const { path = filled + query, ...call } = rest;
    const bus = service.app.get(method === 'GET' ? QueryBus : CommandBus);
    if (fault !== undefined) jest.spyOn(bus, 'execute').mockRejectedValueOnce(fault);
    return fixture.account.client.send(method, path, {
      ...(method !== 'GET' && { body: goodBodyOf(route) }),
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
