import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mintKeyString } from '../../src/kernel/key-string.js';
import {
  type ApiDescription,
  type DescribedOperation,
  schemasOf,
} from '../support/harness/api-description.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { ModelRun } from '../support/harness/model-run.js';
import { anyStep, firstSteps } from '../support/harness/model-steps.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { runningApp } from '../support/harness/running-app.js';
import { createWorkspace } from '../support/harness/workspace-routes.js';

const service = runningApp();

const STEPS = { minLength: 30, maxLength: 60 };
const RUNS = 250;
/** No run begins after it. One that is under way ends, so that a slow machine has one at least. */
const TIME_LIMIT_MS = 8_000;

describe('the service and a plain model of its rules', () => {
  let apiKey: string;

  beforeAll(async () => {
    const created = await service.client.post<{ key: string }>('/v1/keys', { name: 'no manager' });
    apiKey = created.body.key;
  });

  it('give the same answers to any steps of callers and operators', async () => {
    const over = performance.now() + TIME_LIMIT_MS;
    const agree = fc.asyncProperty(fc.array(anyStep, STEPS), async (steps) => {
      if (performance.now() > over) return;
      const run = await ModelRun.begin(service, apiKey);
      for (const step of [...firstSteps, ...steps]) await run.take(step);
    });
    await fc.assert(agree, { numRuns: RUNS, includeErrorInReport: true });
  }, 120_000);
});

type Named = readonly (readonly [name: string, value: string])[];

interface Question {
  readonly method: string;
  /** The part of the target behind `/v1/authorize`. The query follows if there are parameters. */
  readonly below: string;
  readonly parameters: Named;
  readonly headers: Named;
}

const OPTION_VALUES = ['home', 'elsewhere', '', '402', '403', '429', '1', '%zz', 'home,home'];
const optionValue = fc.constantFrom(...OPTION_VALUES);
const parameter = fc.tuple(fc.constantFrom('workspace_id', 'limit_status', 'x'), optionValue);
const optionHeader = fc.tuple(
  fc.constantFrom('Keyledger-Require-Workspace', 'keyledger-limit-status'),
  optionValue,
);
const keyHeader = fc.constantFrom(
  ...(['usable', 'spent', 'unknown', 'x', ''] as const).flatMap((key): Named => [
    ['Authorization', `Bearer ${key}`],
    ['Authorization', `Basic ${key}`],
    ['X-API-Key', key],
  ]),
);
const gatewayHeader = fc.constantFrom<Named[number]>(
  ['Keyledger-Authorization', 'Bearer gateway'],
  ['Keyledger-Authorization', 'Bearer gateway'],
  ['Keyledger-Authorization', 'Bearer unknown'],
);
const question: fc.Arbitrary<Question> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'OPTIONS'),
  below: fc.constantFrom('', '/', '/%zz', '/a/../..', '//'),
  parameters: fc.array(parameter, { maxLength: 2 }),
  headers: fc
    .tuple(
      fc.array(gatewayHeader, { minLength: 0, maxLength: 1 }),
      fc.array(fc.oneof({ weight: 2, arbitrary: keyHeader }, optionHeader), { maxLength: 3 }),
    )
    .map(([gateway, others]) => [...gateway, ...others]),
});

function valuesOf(all: Named, wanted: string): string[] {
  return all.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
}

/** Gives the expected status by the rules of docs/api.md 12.4, one after another. */
function statusOf({ below, parameters, headers }: Question): number {
  const [gateway] = valuesOf(headers, 'keyledger-authorization');
  if (gateway !== 'Bearer gateway') return 403;
  const inHeaders = ['keyledger-require-workspace', 'keyledger-limit-status'];
  const stated = inHeaders.map((name) => valuesOf(headers, name));
  const asked = ['workspace_id', 'limit_status'].map((name) => valuesOf(parameters, name));
  if (below === '' && valuesOf(parameters, 'x').length > 0) return 400;
  const options = below === '' ? asked : stated;
  if (options.some((values) => values.length > 1 || values.includes(''))) return 400;
  if (below === '' && options.flat().includes('%zz')) return 400;
  const [[workspace] = [], [limit = '403'] = []] = options;
  if (!['402', '403', '429'].includes(limit)) return 400;
  const keyHeaders = ['authorization', 'x-api-key'].map((name) => valuesOf(headers, name));
  if (keyHeaders.some((values) => values.length > 1)) return 401;
  const [[authorization = ''] = [], [apiKey = ''] = []] = keyHeaders;
  const bearer = /^Bearer (.+)$/.exec(authorization)?.[1];
  const key = bearer ?? apiKey;
  if (!['usable', 'spent'].includes(key)) return 401;
  if (workspace !== undefined && workspace !== 'home') return 403;
  return key === 'usable' ? 200 : Number(limit);
}

describe('any question to /v1/authorize', () => {
  /** The values that replace the words in a request. */
  let words: ReadonlyMap<string, string>;

  beforeAll(async () => {
    const { client, managementKey, defaultWorkspaceId } = await service.openAccount();
    words = new Map([
      ['usable', (await createKey(client)).key],
      ['spent', (await createKey(client, { limit: 0 })).key],
      ['unknown', mintKeyString('sk-v1-')],
      ['gateway', managementKey],
      ['home', defaultWorkspaceId],
    ]);
  });

  it('is answered as the rules say, and never with 200 by mistake', async () => {
    const said = (text: string): string =>
      text.replace(/usable|spent|unknown|gateway|home/g, (word) => words.get(word) ?? '');
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const query = asked.parameters.map(([name, value]) => `${name}=${said(value)}`).join('&');
        const lines = asked.headers.map(([name, value]) => `${name}: ${said(value)}\r\n`).join('');
        const path = `/v1/authorize${asked.below}${query === '' ? '' : '?'}${query}`;
        const { status } = await sendRaw(
          service.address,
          `${asked.method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`,
        );
        expect(status).toBe(statusOf(asked));
      }),
      { numRuns: 500 },
    );
  }, 60_000);
});

const REQUESTS_OF_EACH_OPERATION = 20;

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
function fieldValues({ type, enum: words }: Property): fc.Arbitrary<unknown> {
  return fc.oneof(
    ...(words ? [fc.constantFrom(...words)] : []),
    ...(type === 'boolean' ? [fc.boolean()] : []),
    ...(type === 'array' ? [fc.array(STRINGS, { maxLength: 4 })] : []),
    type === 'number' ? NUMBERS : STRINGS,
    fc.jsonValue({ maxDepth: 3 }),
  );
}

/**
 * Objects with some of the fields of a schema and, now and then, with others; or any JSON at all.
 */
function bodiesOf({ properties = {} }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(
    ([name, field]): [string, fc.Arbitrary<unknown>] => [name, fieldValues(field)],
  );
  return fc.oneof(
    { weight: 6, arbitrary: fc.record(Object.fromEntries(fields), { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.dictionary(STRINGS, fc.jsonValue({ maxDepth: 2 })) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 5 }) },
  );
}

describe('requests made at random from the OpenAPI document', () => {
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
    const reference = (content.schema as Property).$ref?.split('/').at(-1);
    const schema: Schema | undefined =
      reference === undefined ? content.schema : description.components.schemas[reference];
    if (!schema?.properties) throw new Error(`${path} takes a body that is not described`);
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
        { numRuns: REQUESTS_OF_EACH_OPERATION },
      );
    }
  }, 120_000);
});

/** Percent-encodes the bytes of a text. A lone surrogate has none, and stays out. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
