import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ErrorBody } from '../../src/edge/http/answers/error-body.js';
import { REFUSAL_TABLE, FAULT_TABLE } from '../../src/edge/http/answers/error-table.js';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { Unavailable } from '../../src/kernel/errors.js';
import {
  type ApiDescription,
  type DescribedOperation,
  operationOf,
  reasonsIn,
  schemasOf,
} from '../support/harness/api-description.js';
import { createKey, eventsOfKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { answerTo, errorFixture, WRITES } from '../support/harness/error-fixture.js';
import { type Fixture, PROVOCATIONS } from '../support/harness/error-provocations.js';
import { FURTHER_PROVOCATIONS } from '../support/harness/further-provocations.js';
import { eventually } from '../support/harness/eventually.js';
import { failOnce } from '../support/harness/fail-once.js';
import { BROKEN_ENCODINGS, UNKNOWN_HASH, UUID } from '../support/harness/forms.js';
import { accountOf, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';

const service = runningApp();

const NO_ROUTES = [
  ...['/v1', '/v1/', '/v1/nothing', '/v2/keys', '/keys', '/health', '/health/none'],
  ...[
    '/v1/keys/a/b',
    '/v1/end-users/a/b',
    '/v1/end-users//',
    '/v1/__proto__',
    '/%00',
    '/favicon.ico',
    '/docs/none',
  ],
];

const WRONG_METHODS: readonly (readonly [string, string, string])[] = [
  ['PUT', '/v1/keys', 'GET, HEAD, POST'],
  ['PATCH', '/v1/keys', 'GET, HEAD, POST'],
  ['DELETE', '/v1/keys?name=a', 'GET, HEAD, POST'],
  ['POST', '/v1/keys/abc', 'DELETE, GET, HEAD, PATCH, PUT'],
  // A wrong method is refused before the percent-encoding of the path.
  ['POST', '/v1/keys/%ZZ', 'DELETE, GET, HEAD, PATCH, PUT'],
  // The literal path is no hash.
  ['GET', '/v1/keys/verify', 'POST'],
  ['PUT', '/v1/keys/verify', 'POST'],
  ['PUT', '/v1/KEYS/verify/', 'POST'],
  ['POST', '/v1/key', 'GET, HEAD'],
  ['DELETE', '/v1/key', 'GET, HEAD'],
  ['POST', `/v1/usage-reports/${UNKNOWN_HASH}`, 'DELETE, GET, HEAD, PUT'],
  ['PUT', '/v1/end-users', 'GET, HEAD, POST'],
  ['DELETE', '/v1/end-users/?user=ada', 'GET, HEAD, POST'],
  ['POST', '/v1/end-users/ada', 'DELETE, GET, HEAD, PATCH, PUT'],
  ['POST', '/health/live', 'GET, HEAD'],
  ['DELETE', '/health/ready', 'GET, HEAD'],
  ['PUT', '/metrics', 'GET, HEAD'],
  ['POST', '/openapi.json', 'GET, HEAD'],
  ['POST', '/docs', 'GET, HEAD'],
  ['POST', '/', 'GET, HEAD'],
];

describe('errors', () => {
  const account = accountOf(service);

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each(NO_ROUTES)('answers 404 for %s, which is no route', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { message, userId } = errorOf(await account.client.send(method, path), 404);
      expect({ message, userId }).toEqual({ message: 'There is no such route', userId: null });
    }
  });

  it.each(['GET', 'HEAD'])(
    'answers 404 to %s of a file that its route does not find',
    async (method) => {
      const answer = await account.client.send(method, '/docs/LICENSE');
      expect(answer.status).toBe(404);
      expect(answer.headers.get('allow')).toBeNull();
    },
  );

  it.each(WRONG_METHODS)('answers 405 to %s %s and says what is allowed', async (...wrong) => {
    const [method, path, allowed] = wrong;
    const before = await stateOf(service);
    const bodies = method === 'GET' ? [undefined] : [undefined, { name: 'a', user: 'a' }, '{'];
    for (const body of bodies) {
      const answer = await account.client.send(method, path, { body });
      errorOf(answer, 405);
      expect(answer.headers.get('allow')).toBe(allowed);
    }
    expect(await stateOf(service)).toEqual(before);
  });

  it('answers in JSON also below /docs, where files are', async () => {
    errorOf(await account.client.get('/docs/no-such-file.css'), 404);
    errorOf(await account.client.get('/docs/%2e%2e%2fpackage.json'), 404);
    const headers = { Range: 'bytes=999999999-' };
    errorOf(await account.client.get('/docs/swagger-ui.css', { headers }), 416);
  });

  it.each(BROKEN_ENCODINGS)(
    'answers 400 to the broken percent-encoding %s in a path, whoever asks',
    async (segment) => {
      const { client } = account;
      const refused = errorOf(await client.patch(`/v1/keys/${segment}`, { name: 'b' }), 400);
      expect(refused.metadata).toEqual({
        issues: [{ path: 'hash', message: 'is not valid percent-encoded UTF-8' }],
      });
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        for (const caller of [client, client.as(undefined)]) {
          const body = method === 'PATCH' ? { body: { is_active: false } } : {};
          const answer = await caller.send(method, `/v1/end-users/${segment}`, body);
          expect(errorOf(answer, 400)).toMatchObject({ paths: ['user'], userId: null });
        }
      }
    },
  );

  describe('X-Request-Id', () => {
    it.each(['x', '0', 'a b', 'x'.repeat(128), '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', '<script>'])(
      '%s is taken and given back on every kind of answer',
      async (id) => {
        const headers = { 'X-Request-Id': id };
        const { client } = account;
        const answers = [
          await client.get('/v1/end-users', { headers }),
          await client.get('/v1/end-users?limit=0', { headers }),
          await client.as(undefined).get('/v1/end-users', { headers }),
          await client.get('/nothing', { headers }),
          await client.get('/health/live', { headers }),
        ];
        expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 404, 200]);
        for (const answer of answers) expect(answer.headers.get('x-request-id')).toBe(id);
      },
    );

    it.each(['', 'x'.repeat(129), 'caf\u00e9', 'a\tb', '\u00a0'])(
      '%j is not taken: another is minted',
      async (id) => {
        const headers = { 'X-Request-Id': id };
        const answer = await account.client.get('/nothing', { headers });
        errorOf(answer, 404);
        expect(answer.headers.get('x-request-id')).toMatch(UUID);
      },
    );

    it('is not taken when it holds a key string', async () => {
      const headers = { 'X-Request-Id': `key ${account.managementKey}` };
      const answer = await account.client.get('/v1/end-users', { headers });
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.headers.get('x-request-id')).toMatch(UUID);
    });

    it.each([
      ['without the end', (key: string) => key.slice(0, -8)],
      ['without the prefix', (key: string) => key.slice(6)],
      ['without the beginning', (key: string) => key.slice(7)],
      ['from somewhere in its middle', (key: string) => `a${key.slice(20, 44)}b`],
      ['in capitals', (key: string) => key.toUpperCase()],
    ])('is not taken when it holds the key of the request %s', async (_, part) => {
      const headers = { 'X-Request-Id': part(account.managementKey) };
      const answer = await account.client.get('/v1/end-users', { headers });
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.headers.get('x-request-id')).toMatch(UUID);
    });

    it('is minted anew for each request that has none', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => account.client.get('/health/live')),
      );
      const ids = answers.map(({ headers }) => headers.get('x-request-id'));
      for (const id of ids) expect(id).toMatch(UUID);
      expect(new Set(ids).size).toBe(20);
    });

    it('stands in the events that the request caused', async () => {
      const headers = { 'X-Request-Id': 'from the caller' };
      const { data } = await createKey(account.client);
      await account.client.patch(`/v1/keys/${data.hash}`, { name: 'b' }, { headers });
      const [, renamed] = await eventsOfKey(service, data.hash);
      expect(renamed?.metadata).toMatchObject({ request_id: 'from the caller' });
    });
  });

  describe('a fault of the service', () => {
    it.each([
      ['GET', '/v1/end-users'],
      ['POST', '/v1/end-users'],
      ['POST', '/v1/keys'],
      ['PATCH', `/v1/keys/${UNKNOWN_HASH}`],
    ])('of %s %s answers 500 without its cause, which is logged', async (method, path) => {
      failOnce(service, method, path, new Error('the tape is torn'));
      const requestId = `fault-${method}-${path.length}`;
      const answer = await account.client.send(method, path, {
        headers: { 'X-Request-Id': requestId },
        ...(method !== 'GET' && { body: path === '/v1/end-users' ? { user: 'a' } : { name: 'a' } }),
      });
      const { message, metadata, userId } = errorOf(answer, 500);
      expect({ message, metadata, userId }).toEqual({
        message: 'Internal server error',
        metadata: null,
        userId: account.userId,
      });
      const line = await eventually('a log line with the cause', () =>
        service.logLines.find((text) => text.includes(requestId) && text.includes('is torn')),
      );
      expect(JSON.parse(line)).toMatchObject({
        level: 50,
        request_id: requestId,
        err: { message: 'the tape is torn', stack: expect.stringContaining('errors.e2e.spec') },
      });
    });

    it('that throws what is no Error answers 500 all the same', async () => {
      failOnce(service, 'GET', '/v1/end-users', 'just a string');
      errorOf(await account.client.get('/v1/end-users'), 500);
    });
  });

  describe('an event log that cannot be written', () => {
    it('answers 503 with Retry-After, says so in the log, and serves again once it can', async () => {
      const failure = new Unavailable('event log', new Error('no space left'));
      const log = service.app.get<EventLog>(MANAGEMENT.log);
      jest.spyOn(log, 'append').mockRejectedValueOnce(failure);
      const before = await stateOf(service);
      const answer = await account.client.post('/v1/keys', { name: 'a' });
      const { message, metadata } = errorOf(answer, 503);
      expect(message).not.toContain('space');
      expect(metadata).toBeNull();
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      await eventually('a log line that says so', () =>
        service.logLines.some((line) => line.includes('event log unavailable: no space left')),
      );
      expect(await stateOf(service)).toEqual(before);
      await createKey(account.client);
    });
  });
});

/** The errors of commands that the command line alone has. */
const OPERATORS = [
  ...['account-already-exists', 'account-is-individual', 'member-already-added'],
  ...['workspace-member-already-added', 'workspace-member-unknown'],
  'management-key-already-revoked',
];
/** `test/service/operations.e2e.spec.ts` asks a service that is not ready. */
const NOT_READY = 'not-ready';

const TABLE: Readonly<Record<string, { readonly status: number }>> = {
  ...REFUSAL_TABLE,
  ...FAULT_TABLE,
};
const CASES = [...Object.entries(PROVOCATIONS), ...FURTHER_PROVOCATIONS];

describe('the table of errors', () => {
  const service = runningApp({ RATE_LIMIT_WRITES: `${WRITES}/600s` });
  let fixture: Fixture;
  let isError: ReturnType<ReturnType<typeof schemasOf>>;
  let description: ApiDescription;

  beforeAll(async () => {
    ({ body: description } = await service.client.get<ApiDescription>('/openapi.json'));
    isError = schemasOf(description)({ $ref: '#/components/schemas/Error' });
    fixture = await errorFixture(service);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('has no reason but those that a request or an operator can provoke', () => {
    const known = [...Object.keys(PROVOCATIONS), ...OPERATORS, NOT_READY];
    expect(Object.keys(TABLE).sort()).toEqual(known.sort());
  });

  it.each(CASES)('says what is answered when a request provokes %s', async (reason, provoke) => {
    const request = provoke(fixture);
    const { status, headers, body } = await answerTo(fixture, request);
    const { error } = body as ErrorBody;
    expect({ status, code: error.code, reason: error.metadata['reason'] }).toEqual({
      status: TABLE[reason]?.status,
      code: status,
      reason,
    });
    isError(body);
    expect(isError.errors).toBeNull();
    const operation = operationOf(description, request.route);
    if (operation) expect(reasonsOf(operation)).toContainEqual({ reason, status });
    expect(headers.has('x-request-id')).toBe(true);
    expect(headers.get('www-authenticate')?.startsWith('Bearer') ?? false).toBe(status === 401);
    expect(headers.has('retry-after')).toBe(status === 429 || status === 503);
    expect(headers.get('etag')).toBeNull();
  });

  it('is named in parts by each operation: what its requests provoke, and no more', () => {
    const { responses } = operationOf(description, 'GET /v1/keys') ?? {};
    const general = new Set(
      reasonsIn(responses?.['default']?.description).map(({ reason }) => reason),
    );
    const provoked = new Set(
      CASES.map(([reason, provoke]) => {
        const operation = operationOf(description, provoke(fixture).route);
        return `${operation?.operationId} ${reason}`;
      }),
    );
    const named = Object.values(description.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ operationId, description: words }) =>
        reasonsIn(words)
          .filter(({ reason }) => !general.has(reason))
          .map(({ reason }) => `${operationId} ${reason}`),
      );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !provoked.has(name))).toEqual([]);
  });
});

/** Gives every reason that an operation says it refuses with. */
function reasonsOf({ description, responses }: DescribedOperation): ReturnType<typeof reasonsIn> {
  return [...reasonsIn(description), ...reasonsIn(responses['default']?.description)];
}
