import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiDescription, objectsIn, operationOf } from '../support/harness/api-description.js';
import { createKey } from '../support/harness/api-keys.js';
import { madeString } from '../support/harness/made-strings.js';
import { runningApp } from '../support/harness/running-app.js';
import { createWorkspace } from '../support/harness/workspace-routes.js';

const service = runningApp();
let description: ApiDescription;

beforeAll(async () => {
  description = (await service.client.get<ApiDescription>('/openapi.json')).body;
});

describe('the OpenAPI document', () => {
  it('describes every parameter, and every property of every schema that is no schema of its own', () => {
    const undescribed: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties, parameters } = value as Readonly<Record<string, object | undefined>>;
      for (const [name, said] of Object.entries({ ...properties, ...parameters })) {
        const { description: words, name: called, $ref } = said as Readonly<Record<string, string>>;
        if (!words && !$ref) undescribed.push(`${path} ${called ?? name}`);
      }
      for (const [name, inner] of Object.entries(value)) {
        look(inner, `${path}/${name}`);
      }
    };
    look(description.paths, 'paths');
    look(description.components, 'components');
    expect(undescribed).toEqual([]);
  });

  it.each([
    ['GET /v1/keys', ['enabled', 'default workspace']],
    ['GET /v1/end-users', ['active']],
  ])('says first of %s, and of its count, what a request without a query leaves out', (...list) => {
    const [route, words] = list;
    const operation = operationOf(description, route);
    const counted = objectsIn(operation?.responses).find((one) => 'total_count' in one);
    const count = counted?.['total_count'] as { readonly description: string } | undefined;
    for (const text of [operation?.description ?? '', count?.description ?? '']) {
      const [first = ''] = text.split(/[.;] /);
      expect(first).toMatch(/^Without parameters, only /);
      for (const word of words) expect(first).toContain(word);
    }
  });
});

describe('an example of the OpenAPI document', () => {
  it.each(['put', 'post', 'patch'])('of a body of %s can be sent as it is', async (method) => {
    // A member of the account is in the example of members.
    const { client } = await service.openAccount('organization', 'user-1');
    const { data } = await createKey(client);
    const { slug } = await createWorkspace(client);
    await client.post('/v1/end-users', { user: 'known' });
    for (const [path, operations] of Object.entries(description.paths)) {
      const [content] = Object.entries(operations[method]?.requestBody?.content ?? {});
      if (!content) continue;
      const [type, { schema }] = content;
      const { $ref = '' } = schema as { readonly $ref?: string };
      const whole = description.components.schemas[$ref.split('/').at(-1) ?? ''] ?? schema;
      const { example } = whole as { readonly example?: Record<string, string> };
      const form = new URLSearchParams(example).toString();
      const hash = path.endsWith('/{hash}') && method === 'put' ? madeString().hash : data.hash;
      const target = path
        .replace('{hash}', hash)
        .replace('{string_hash}', madeString().hash)
        .replace('{workspace}', slug)
        .replace('{user}', 'known')
        .replace('{report_id}', randomUUID());
      const call = { body: type === 'application/json' ? example : form };
      const { status, text } = await client.send(method.toUpperCase(), target, call);
      expect({ path, example, text, isDone: status < 300 }).toMatchObject({
        example: expect.any(Object),
        isDone: true,
      });
    }
  });

  it('stands at each pattern, which a page would fill with noise, and at no parameter', () => {
    const { paths, components } = description;
    const patterns = objectsIn(components).filter(({ pattern }) => pattern !== undefined);
    expect(patterns.length).toBeGreaterThan(30);
    for (const { pattern, example } of patterns) {
      expect(example).toMatch(new RegExp(String(pattern)));
    }
    const parameters = objectsIn(paths).filter((one) => 'in' in one);
    expect(parameters.length).toBeGreaterThan(30);
    expect(JSON.stringify(parameters)).not.toContain('"example"');
  });
});
