import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type ApiDescription,
  type DescribedOperation,
  schemasOf,
} from '../support/harness/api-description.js';
import { createKey } from '../support/harness/api-keys.js';
import type { Answer } from '../support/harness/http-client.js';
import { errorOf } from '../support/harness/error-of.js';
import { runningApp } from '../support/harness/running-app.js';
import { createWorkspace } from '../support/harness/workspace-routes.js';

/** Requests of each operation. */
const RUNS = 20;

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly $ref?: string;
}

interface SentRequest {
  readonly target: string;
  readonly body: string | undefined;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Property>>;
}

const STRINGS = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', ' ', '\0', '\ud800', 'null', '-1', '1e309', '__proto__', 'a@b.example'),
  fc.constantFrom('daily', '2027-01-01T00:00:00Z', '9999-12-31T23:59:60Z', 'x'.repeat(600)),
);
/** Other segments of a path mean another path. */
const NAMES = STRINGS.filter((text) => !['', '.', '..'].includes(text));
const NUMBERS = fc.oneof(fc.double(), fc.constantFrom(-0, 1e-320, 1e308, 2 ** 53, -1, 0.1));

/** Values that a field may take, and values that no field takes. */
function valuesOf({ type, enum: words }: Property): fc.Arbitrary<unknown> {
  return fc.oneof(
    ...(words ? [fc.constantFrom(...words)] : []),
    ...(type === 'boolean' ? [fc.boolean()] : []),
    ...(type === 'array' ? [fc.array(STRINGS, { maxLength: 4 })] : []),
    type === 'number' ? NUMBERS : STRINGS,
    fc.jsonValue({ maxDepth: 3 }),
  );
}

/** Objects with some of the fields of a schema and, now and then, with others; or any JSON at all. */
function bodiesOf({ properties = {} }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(
    ([name, field]): [string, fc.Arbitrary<unknown>] => [name, valuesOf(field)],
  );
  return fc.oneof(
    { weight: 6, arbitrary: fc.record(Object.fromEntries(fields), { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.dictionary(STRINGS, fc.jsonValue({ maxDepth: 2 })) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 5 }) },
  );
}

describe('requests made at random from the OpenAPI document', () => {
  const service = runningApp();
  let operations: (readonly [string, DescribedOperation])[];
  let description: ApiDescription;
  let validatorOf: ReturnType<typeof schemasOf>;
  let known: Readonly<Record<string, string>>;

  beforeAll(async () => {
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
    validatorOf = schemasOf(description);
    operations = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        return [`${method.toUpperCase()} ${path}`, operation] as const;
      }),
    );
    const { data: key } = await createKey(service.client);
    const workspace = await createWorkspace(service.client);
    await service.client.post('/v1/end-users', { user: 'known' });
    known = { hash: key.hash, workspace: workspace.slug, user: 'known' };
  });

  /** Names of records in the path are as often of one that is there as of none. */
  function targetsOf(path: string, { parameters }: DescribedOperation): fc.Arbitrary<string> {
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    const names = fc.record(
      Object.fromEntries(
        inPath.map(({ name }) => [name, fc.oneof(fc.constant(known[name] ?? '-'), NAMES)]),
      ),
    );
    const query = fc.record(Object.fromEntries(inQuery.map(({ name }) => [name, STRINGS])), {
      requiredKeys: [],
    });
    return fc.tuple(names, query).map(([named, asked]) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(named[name] ?? ''));
      const search = Object.entries(asked).map(
        ([name, value]) => `${name}=${encoded(value ?? '')}`,
      );
      return search.length > 0 ? `${filled}?${search.join('&')}` : filled;
    });
  }

  function requestOf(path: string, operation: DescribedOperation): fc.Arbitrary<SentRequest> {
    const content = operation.requestBody?.content['application/json'];
    const target = targetsOf(path, operation);
    if (!content) return fc.record({ target, body: fc.constant(undefined) });
    const reference = (content.schema as Property).$ref?.split('/').at(-1) ?? '';
    const schema = description.components.schemas[reference];
    if (!schema) throw new Error(`${path} takes a body without a named schema`);
    return fc.record({ target, body: bodiesOf(schema).map((body) => JSON.stringify(body)) });
  }

  /** Expects the success that the document describes, or a fault of the caller. */
  function expectDescribed({ responses }: DescribedOperation, answer: Answer): void {
    if (answer.status >= 400) {
      expect(answer.status).toBeLessThan(500);
      expect(errorOf(answer, answer.status).reason).not.toBe('');
      return;
    }
    const described = responses[answer.status];
    if (described && !described.content) return;
    const schema = described?.content?.['application/json']?.schema;
    if (!schema) throw new Error(`${answer.status} ${answer.text} is not described`);
    const validate = validatorOf(schema);
    expect({ fits: validate(answer.body), errors: validate.errors }).toEqual({
      fits: true,
      errors: null,
    });
  }

  it('get what it describes, and never a fault of the service', async () => {
    expect(operations.length).toBeGreaterThan(15);
    for (const [route, operation] of operations) {
      const [method = '', path = ''] = route.split(' ');
      await fc.assert(
        fc.asyncProperty(requestOf(path, operation), async ({ target, body }) => {
          const call = body === undefined ? {} : { body };
          expectDescribed(operation, await service.client.send(method, target, call));
        }),
        { numRuns: RUNS },
      );
    }
  });
});

/** Percent-encodes the bytes of a text. A lone surrogate has none, and stays out. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
