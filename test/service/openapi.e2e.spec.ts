import { beforeAll, describe, expect, it } from '@jest/globals';
import { REASONS } from '../../src/edge/http/answers/error-table.js';
import { VERSION } from '../../src/kernel/version.js';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';
import {
  type ApiDescription,
  type DescribedOperation,
} from '../support/harness/api-description.js';
import { routesOf } from '../support/harness/routes-of.js';
import { runningApp } from '../support/harness/running-app.js';

/** Routes for operators and for readers, which the document leaves out. */
const UNDESCRIBED = /^\/(?:$|health|metrics|docs|openapi\.)/;

describe('the OpenAPI document', () => {
  const service = runningApp();
  let description: ApiDescription;

  beforeAll(async () => {
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
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

  it('has one success for every operation', () => {
    const successes = operations().map(({ route, responses }) => [
      route,
      Object.keys(responses).filter((status) => status !== 'default'),
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

  it('has one answer for all errors of every operation', () => {
    for (const { route, responses } of operations()) {
      const { default: error } = responses;
      expect({ route, error }).toMatchObject({
        error: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      });
    }
    expect(description.components.schemas['Error']).toMatchObject({
      properties: {
        error: { properties: { metadata: { properties: { reason: { enum: REASONS } } } } },
      },
    });
  });

  it('takes bodies on end users that have no other fields, as the service does', async () => {
    const { body } = await service.client.get<ApiDescription>('/openapi.json');
    for (const name of ['RegisterEndUserRequest', 'UpdateEndUserRequest']) {
      expect(body.components.schemas[name]).toMatchObject({ additionalProperties: false });
    }
  });
});
