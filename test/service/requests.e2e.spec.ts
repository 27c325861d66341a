import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import type { ApiDescription } from '../support/harness/api-description.js';
import { createKey } from '../support/harness/api-keys.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import type { Answer } from '../support/harness/http-client.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { accountOf, runningApp } from '../support/harness/running-app.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

const service = runningApp();

/** nginx speaks HTTP/1.0 to its backend by default. */
describe('a client that speaks HTTP/1.0', () => {
  let hash: string;

  beforeAll(async () => {
    await service.client.post('/v1/end-users', { user: 'ada' });
    hash = (await createKey(service.client)).data.hash;
  });

  const ask = (method: string, path: string, headers = ''): Promise<Answer> =>
    sendRaw(
      service.address,
      `${method} ${path} HTTP/1.0\r\nHost: a\r\nAuthorization: Bearer ${service.managementKey}\r\n${headers}\r\n`,
    );

  it.each(['GET', 'HEAD'])('is refused a stream: %s', async (method) => {
    const refused = await ask(method, '/v1/audit-events', 'Accept: application/x-ndjson\r\n');
    expect(refused.status).toBe(505);
    if (method === 'HEAD') return;
    expect(refused.headers.get('content-length')).toBe(String(Buffer.byteLength(refused.text)));
    expect(errorOf(refused, 505)).toMatchObject({
      reason: 'http-version-unsupported',
      message: expect.stringContaining('proxy_http_version 1.1'),
    });
  });

  it('has a slot back after a refusal', async () => {
    for (let asked = 0; asked < 6; asked += 1) {
      await ask('GET', '/v1/audit-events', 'Accept: application/x-ndjson\r\n');
    }
    const headers = { Accept: 'application/x-ndjson' };
    expect(await service.client.get('/v1/audit-events', { headers })).toMatchObject({
      status: 200,
    });
  });

  it.each([
    '/v1/audit-events',
    '/v1/key',
    '/v1/keys',
    '/v1/end-users',
    '/v1/end-users/ada',
    '/v1/workspaces',
    '/v1/workspaces/default',
    '/v1/workspaces/default/members',
    '/v1/end-users?limit=0',
    '/v1/nothing',
    '/nothing',
    '/health/live',
    '/health/ready',
    '/metrics',
    '/openapi.json',
    '/openapi.yaml',
    '/docs',
    '/docs/swagger-ui-init.js',
    '/docs/swagger-ui.css',
  ])('gets an answer with its length: GET %s', async (path) => {
    const { headers, text } = await ask('GET', path);
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });

  it('gets such answers to changes', async () => {
    const patched = await ask('PATCH', `/v1/keys/${hash}`);
    expect(patched.headers.get('content-length')).toBe(String(Buffer.byteLength(patched.text)));
    const deleted = await ask('DELETE', `/v1/end-users/ada`);
    expect(deleted).toMatchObject({ status: 204, text: '' });
  });
});

const INFO = 30;
const PATHS = [
  '/',
  '/%',
  '/%00',
  '/docs',
  '/docs/%00',
  '/docs/..%2f..%2fpackage.json',
  '/docs/swagger-ui.css',
  '/openapi.json',
  '/openapi.json/%ff',
  '/metrics',
  '/health/ready',
  '/v1',
  '/v1/keys?limit=%ff',
  '/v1/keys/%ff',
  '/v1/end-users/%00',
  '/v1/oauth/introspect',
  '/v1/authorize',
  '/v1/authorize?limit_status=500',
  '/v1/authorize/%ff?%ff',
];
const HEADERS: readonly (readonly string[])[] = [
  [],
  ['Range: bytes=99999999-'],
  ['If-Match: "x"', 'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT'],
  ['Authorization: Bearer x'],
  [`Authorization: Bearer ${mintKeyString('mk-v1-')}`],
  [`Authorization: Bearer ${mintKeyString('sk-v1-')}`, 'Keyledger-Authorization: Bearer x'],
  [`Keyledger-Authorization: Bearer ${mintKeyString('mk-v1-')}`],
  ['Authorization: Basic eDp5', 'Content-Type: application/json; charset=utf-16'],
  ['Content-Encoding: compact', 'Transfer-Encoding: chunked'],
  ['Accept: application/x-ndjson', 'Traceparent: x', 'X-Forwarded-For: x'],
];

describe('a stranger', () => {
  it('makes no fault and no line above INFO, whatever one asks', async () => {
    const { length: before } = service.logLines;
    const statuses = new Set<number>();
    for (const method of ['GET', 'POST', 'PATCH', 'OPTIONS']) {
      for (const path of PATHS) {
        for (const headers of HEADERS) {
          const body = headers.some((header) => header.startsWith('Transfer-')) ? '0\r\n\r\n' : '';
          const lines = [`${method} ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers];
          const answer = await sendRaw(service.address, `${lines.join('\r\n')}\r\n\r\n${body}`);
          if (answer.status >= 500)
            throw new Error(`${method} ${path} ${headers.join()}: ${answer.text}`);
          statuses.add(answer.status);
        }
      }
    }
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405]));
    const last = 'the-last-request-of-a-stranger';
    await service.client.as(undefined).get('/v1/keys', { headers: { 'X-Request-Id': last } });
    await eventually('all are logged', () => service.logLines.some((one) => one.includes(last)));
    const lines = service.logLines.slice(before);
    const levels = lines.map((line) => (JSON.parse(line) as { level: number }).level);
    expect(Math.max(...levels)).toBe(INFO);
  }, 60_000);
});

describe('Requests and responses', () => {
  it('are made with the prototypes that Express gives them, so that V8 need not forget what it knows of them', async () => {
    const made: object[] = [];
    const left: object[] = [];
    const server: Server = service.app.getHttpServer();
    server.prependOnceListener('request', (request: IncomingMessage, response: ServerResponse) => {
      made.push(...[request, response].map(prototypeOf));
      response.once('finish', () => left.push(...[request, response].map(prototypeOf)));
    });
    expect((await service.client.get('/v1/end-users')).status).toBe(200);
    expect(left.map((prototype, which) => prototype === made[which])).toEqual([true, true]);
    // The prototype chain still contains the properties of Express.
    expect(left.map((prototype) => 'app' in prototype)).toEqual([true, true]);
  });
});

function prototypeOf(value: object): object {
  return Object.getPrototypeOf(value) as object;
}

describe('a parameter that a list does not have', () => {
  const account = accountOf(service);

  it.each([
    ['/v1/keys?creator=ada', 'creator', 'the nearest one is creator_user_id'],
    ['/v1/keys?disabled=true', 'disabled', 'the nearest one is include_disabled'],
    ['/v1/keys?name=robot', 'name', 'it has include_disabled, workspace_id, '],
    ['/v1/audit-events?since=1h', 'since', 'it has cursor, from, to, '],
    ['/v1/end-users?inactive=true', 'inactive', 'the nearest one is include_inactive'],
    ['/v1/workspaces?name=eu', 'name', 'it has offset, limit'],
    ['/v1/workspaces/default/members?ofset=1', 'ofset', 'the nearest one is offset'],
  ])('is refused in %s, with the nearest that it has', async (path, parameter, hint) => {
    const answer = await account.client.get<{ error: { metadata: { issues: object[] } } }>(path);
    errorOf(answer, 400);
    expect(answer.body.error.metadata.issues).toEqual([
      {
        path: parameter,
        message: expect.stringContaining(`is not a parameter of this list; ${hint}`),
      },
    ]);
  });

  it('is refused on every list', async () => {
    const { body } = await service.client.get<ApiDescription>('/openapi.json');
    const lists = Object.entries(body.paths).filter(([, { get }]) =>
      get?.parameters.some((parameter) => parameter.in === 'query' && parameter.name === 'limit'),
    );
    expect(lists.length).toBeGreaterThanOrEqual(5);
    for (const [path] of lists) {
      const asked = `${path.replace('{workspace}', 'default')}?limit=1&colour=red`;
      expect(errorOf(await account.client.get(asked), 400).paths).toEqual(['colour']);
    }
  });
});

describe('a key string in a body', () => {
  const account = accountOf(service);
  let hash: string;
  let workspace: string;

  beforeAll(async () => {
    ({
      data: { hash },
    } = await createKey(account.client));
    workspace = await makeWorkspace(service, account, {});
  });

  const secret = mintKeyString('sk-v1-');

  const CASES: readonly (readonly [string, string, string, object])[] = [
    ['POST', '/v1/keys', 'name', { name: secret }],
    ['POST', '/v1/keys', 'name', { name: `my key is ${secret}, keep it` }],
    ['POST', '/v1/keys', 'creator_user_id', { name: 'k', creator_user_id: secret }],
    ['POST', '/v1/keys', 'external.user', { name: 'k', external: { user: secret } }],
    ['POST', '/v1/keys', 'external.lookup_key', { name: 'k', external: { lookup_key: secret } }],
    ['POST', '/v1/keys', 'unknown', { name: 'k', unknown: [{ deep: 1 }, secret] }],
    ['POST', '/v1/keys', '', { name: 'k', [secret]: 1 }],
    ['POST', '/v1/keys', 'external', { name: 'k', external: { [`a${secret}`]: 1 } }],
    ['PATCH', '/v1/keys/{hash}', 'name', { name: secret }],
    ['POST', '/v1/end-users', 'user', { user: secret }],
    ['POST', '/v1/end-users', '', { [secret]: 'user' }],
    ['POST', '/v1/workspaces', 'name', { name: secret }],
    ['POST', '/v1/workspaces', 'restrictions', { name: 'w', restrictions: ['a', secret] }],
    ['PATCH', '/v1/workspaces/{workspace}', 'description', { description: secret }],
    ['POST', '/v1/workspaces/{workspace}/members/add', 'user_ids', { user_ids: [secret] }],
    ['POST', '/v1/workspaces/{workspace}/members/remove', 'user_ids', { user_ids: [secret] }],
  ];

  function send(method: string, template: string, body: unknown) {
    const path = template.replace('{hash}', hash).replace('{workspace}', workspace);
    return account.client.send(method, path, { body });
  }

  it.each(CASES)('is 400 on %s %s and named at "%s"', async (method, path, field, body) => {
    const answer = await send(method, path, body);
    const { reason, paths } = errorOf(answer, 400);
    expect({ reason, paths }).toEqual({ reason: 'request-invalid', paths: [field] });
    expect(answer.text).not.toContain(secret);
  });

  it('is detected in every JSON escape, and behind any other text', async () => {
    const escaped = Array.from(
      secret,
      (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
    );
    for (const name of [escaped.join(''), `sk-v1-${secret}`, `${'0'.repeat(70)}${secret}0`]) {
      errorOf(await send('POST', '/v1/keys', `{"name":"${name}"}`), 400);
    }
  });

  it('may be one with a wrong checksum, which opens nothing', async () => {
    const wrong = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');
    expect(await send('POST', '/v1/keys', { name: wrong })).toMatchObject({ status: 201 });
  });

  it('is wrong usage as an argument of the command line', async () => {
    const add = ['members', 'add', '--account', account.accountId, '--user', secret];
    const { code, stdout, stderr } = await keyledgerHere({}, ...add);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('key string');
    expect(stderr).not.toContain(secret);
  });
});
