import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type ApiDescription, misdescribed, schemasOf } from '../harness/api-description.js';
import { createKey } from '../harness/api-keys.js';
import type { ErrorBody } from '../../src/http/error-body.js';
import { ERRORS, type Fixture, type Provoke } from '../harness/error-provocations.js';
import { goodBodyOf, queryOf } from '../harness/good-requests.js';
import { isQuery } from '../harness/verification-provocations.js';
import type { Answer } from '../harness/http-client.js';
import { createOrphanedKey } from '../harness/orphaned-keys.js';
import { runningApp } from '../harness/running-app.js';
import { makeWorkspace } from '../harness/workspaces.js';

const CASES = Object.entries(ERRORS).flatMap(([route, errors]) =>
  Object.entries(errors).map(([code, provoke]) => [route, code, provoke] as const),
);

/** The limit of creations is above the number of creations that fail on purpose. */
const LIMIT = 7;
/** The limit of writes is above the number of writes that fail on purpose. */
const WRITES = 100;

describe('the errors of the OpenAPI document', () => {
  const service = runningApp({
    RATE_LIMIT_KEY_CREATION: `${LIMIT}/60s`,
    RATE_LIMIT_WRITES: `${WRITES}/600s`,
  });
  let fixture: Fixture;
  let description: ApiDescription;
  let validatorOf: ReturnType<typeof schemasOf>;

  beforeAll(async () => {
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
    validatorOf = schemasOf(description);
    const account = await service.openAccount();
    const exhausted = await service.openAccount();
    for (let made = 2; made < LIMIT; made++) await createKey(exhausted.client);
    const disabled = await createKey(exhausted.client);
    await exhausted.client.patch(`/v1/keys/${disabled.data.hash}`, { disabled: true });
    const expired = await createKey(exhausted.client, { expires_at: '2001-01-01T00:00:00Z' });
    const restrictions = ['eu-only'];
    const workspace_id = await makeWorkspace(service, account, { restrictions });
    const { data, key } = await createKey(account.client, { workspace_id });
    await account.client.post('/v1/end-users', { user: 'taken' });
    const spent = await service.openAccount();
    for (let made = 0; made < WRITES; made++) {
      await spent.client.post('/v1/end-users', { user: `user-${made}` });
    }
    fixture = {
      service,
      account,
      exhausted,
      spent,
      individual: await service.openAccount('individual'),
      apiKey: key,
      disabledKey: disabled.key,
      expiredKey: expired.key,
      spentKey: (await createKey(account.client, { limit: 0 })).key,
      hash: data.hash,
      crowded: workspace_id,
      deserted: await makeWorkspace(service, account, { restrictions }),
      orphaned: (await createOrphanedKey(service, account)).data.hash,
    };
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  async function provoked(route: string, provoke: Provoke): Promise<Answer> {
    const [method = '', template = ''] = route.split(' ');
    const { fault, user = 'taken', query = queryOf(route), ...rest } = provoke(fixture);
    const filled = template
      .replace('{hash}', fixture.hash)
      .replace('{user}', user)
      .replace('{workspace}', fixture.crowded)
      .replace('{id}', randomUUID());
    const { path = filled + query, ...call } = rest;
    const bus = service.app.get(isQuery(route) ? QueryBus : CommandBus);
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
    const validate = validatorOf({ $ref: '#/components/schemas/Error' });
    validate(answer.body);
    expect(validate.errors).toBeNull();
  });

  it.each(CASES)('%s sends with %s the headers that are described', async (route, _, provoke) => {
    const answer = await provoked(route, provoke);
    const [method = '', path = ''] = route.split(' ');
    const operation = description.paths[path]?.[method.toLowerCase()];
    const headers = operation?.responses[answer.status]?.headers ?? {};
    expect(headers).toHaveProperty('X-Request-Id');
    expect(misdescribed(headers, answer.headers)).toEqual([]);
    expect(answer.headers.get('etag')).toBeNull();
  });
});
