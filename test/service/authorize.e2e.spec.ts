import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { RevokeManagementKey } from '../../src/features/accounts/management-keys.commands.js';
import { Verifier } from '../../src/features/verification/verifier.js';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { type CreatedKey, createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import type { Answer } from '../support/harness/http-client.js';
import { makeManagementKey } from '../support/harness/management-keys.js';
import { openRawConnection } from '../support/harness/raw-connection.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { accountOf, OPERATOR, runningApp } from '../support/harness/running-app.js';

const service = runningApp();

const PASSED = ['Key-Hash', 'Account', 'Workspace', 'External-User', 'Limit-Remaining'];

describe('/v1/authorize', () => {
  const account = accountOf(service);
  let created: CreatedKey;

  beforeAll(async () => {
    created = await createKey(account.client, { external: { user: 'Ürsula & Co' }, limit: 3 });
  });

  interface Question {
    readonly method?: string;
    readonly path?: string;
    /** Undefined without a header. */
    readonly key?: string | undefined;
    readonly headers?: Readonly<Record<string, string>>;
    readonly gatewayKey?: string;
  }

  function ask(question: Question = {}): Promise<Answer> {
    const {
      method = 'GET',
      path = '',
      headers = {},
      gatewayKey = account.managementKey,
    } = question;
    const key = 'key' in question ? question.key : created.key;
    return service.client.as(key).send(method, `/v1/authorize${path}`, {
      headers: { 'Keyledger-Authorization': `Bearer ${gatewayKey}`, ...headers },
    });
  }

  function expectRefused(answer: Answer, status: number, code: string): void {
    expect(errorOf(answer, status).userId).toBeNull();
    expect(answer.headers.get('keyledger-code')).toBe(code);
    expect(answer.headers.get('www-authenticate')).toBe(
      status === 401 ? 'Bearer realm="keyledger", error="invalid_token"' : null,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    for (const name of PASSED) expect(answer.headers.get(`keyledger-${name}`)).toBeNull();
  }

  it('lets a key through that may be used, with all that the upstream may know', async () => {
    const answer = await ask();
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(PASSED.map((name) => answer.headers.get(`keyledger-${name}`))).toEqual([
      created.data.hash,
      account.accountId,
      account.defaultWorkspaceId,
      '%C3%9Crsula%20%26%20Co',
      '3',
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('keyledger-code')).toBeNull();
  });

  it('sends every header, empty where there is nothing to say', async () => {
    const { key } = await createKey(account.client);
    const { headers } = await ask({ key });
    expect(headers.get('keyledger-external-user')).toBe('');
    expect(headers.get('keyledger-limit-remaining')).toBe('');
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'answers %s, and everything below it, decoded or not',
    async (method) => {
      for (const path of [
        '',
        '/',
        '/v1/keys',
        '/%ZZ',
        '/a/../b?workspace_id=&limit_status=9',
        '/?%ff',
      ])
        expect(await ask({ method, path })).toMatchObject({ status: 200, text: '' });
    },
  );

  it('is not found beside it', async () => {
    for (const path of ['x', '%2f']) errorOf(await ask({ path }), 404);
  });

  it('refuses keys that may not be used', async () => {
    const other = await service.openAccount();
    const foreign = await createKey(other.client);
    const disabled = await createKey(account.client);
    await account.client.patch(`/v1/keys/${disabled.data.hash}`, { disabled: true });
    const expired = await createKey(account.client, { expires_at: '2001-01-01T00:00:00Z' });
    const spent = await createKey(account.client, { limit: 0 });
    const cases = [
      [undefined, 401, 'NO_KEY'],
      ['x', 401, 'MALFORMED'],
      [mintKeyString('sk-v1-'), 401, 'NOT_FOUND'],
      [account.managementKey, 401, 'NOT_FOUND'],
      [foreign.key, 401, 'NOT_FOUND'],
      [disabled.key, 401, 'DISABLED'],
      [expired.key, 401, 'EXPIRED'],
      [spent.key, 403, 'LIMIT_EXCEEDED'],
    ] as const;
    for (const [key, status, code] of cases) expectRefused(await ask({ key }), status, code);
    const unknown = await ask({ key: mintKeyString('sk-v1-'), headers: { 'X-Request-Id': 'a' } });
    const notOwn = await ask({ key: foreign.key, headers: { 'X-Request-Id': 'a' } });
    expect(notOwn.text).toBe(unknown.text);
  });

  it('takes the key from X-API-Key, and another scheme for none', async () => {
    const apiKey = { 'X-API-Key': created.key };
    const basic = { Authorization: 'Basic dXNlcjpwYXNz' };
    expect((await ask({ key: undefined, headers: apiKey })).status).toBe(200);
    expect((await ask({ key: undefined, headers: { ...apiKey, ...basic } })).status).toBe(200);
    expectRefused(await ask({ key: undefined, headers: basic }), 401, 'NO_KEY');
    expectRefused(await ask({ key: 'x', headers: apiKey }), 401, 'MALFORMED');
  });

  it('does not choose between two headers that carry a key', async () => {
    const good = {
      'Keyledger-Authorization': `Bearer ${account.managementKey}`,
      Authorization: `Bearer ${created.key}`,
      'X-API-Key': created.key,
    };
    for (const [name, value] of Object.entries(good)) {
      const lines = Object.entries(good).map((header) => header.join(': '));
      const request = ['GET /v1/authorize HTTP/1.1', 'Host: a', 'Connection: close'];
      const text = [...request, ...lines, `${name}: ${value}`, '', ''].join('\r\n');
      expectRefused(await sendRaw(service.address, text), 401, 'AMBIGUOUS');
    }
  });

  it.each([
    [0.0000001, '0.0000001'],
    [1e21, '1000000000000000000000'],
    [1e308, `1${'0'.repeat(308)}`],
  ])('tells what remains of the limit %d without an exponent', async (limit, told) => {
    const { key } = await createKey(account.client, { limit });
    const { headers } = await ask({ key });
    expect(headers.get('keyledger-limit-remaining')).toBe(told);
  });

  it('hands on no key string, only its hash', async () => {
    const handed = jest.spyOn(service.app.get(Verifier), 'verify');
    await ask();
    await account.client.post('/v1/keys/verify', { key: created.key });
    await account.client.post('/v1/oauth/introspect', Buffer.from(`token=${created.key}`));
    const questions = JSON.stringify(handed.mock.calls);
    handed.mockRestore();
    expect(questions.split(created.data.hash)).toHaveLength(4);
    expect(questions).not.toContain(created.key);
  });

  it('demands a workspace, and answers an exceeded limit, as the gateway says', async () => {
    const spent = await createKey(account.client, { limit: 0, limit_reset: 'daily' });
    const forEver = await createKey(account.client, { limit: 0 });
    for (const status of [402, 403, 429]) {
      const inQuery = await ask({ key: spent.key, path: `?limit_status=${status}` });
      expectRefused(inQuery, status, 'LIMIT_EXCEEDED');
      const headers = { 'Keyledger-Limit-Status': String(status) };
      const inHeader = await ask({ key: spent.key, path: '/x?limit_status=400', headers });
      expectRefused(inHeader, status, 'LIMIT_EXCEEDED');
      const retryAfter = Number(inHeader.headers.get('retry-after') ?? NaN);
      if (status !== 429) expect(retryAfter).toBeNaN();
      else {
        expect(retryAfter).toBeGreaterThan(0);
        expect(retryAfter).toBeLessThanOrEqual(60);
      }
    }
    const never = await ask({ key: forEver.key, path: '?limit_status=429' });
    expectRefused(never, 429, 'LIMIT_EXCEEDED');
    expect(never.headers.get('retry-after')).toBe('60');
    const home = account.defaultWorkspaceId;
    expect((await ask({ path: `?workspace_id=${home}` })).status).toBe(200);
    expectRefused(await ask({ path: '?workspace_id=nowhere' }), 403, 'WRONG_WORKSPACE');
    const at = (id: string) => ask({ path: '/', headers: { 'Keyledger-Require-Workspace': id } });
    expect((await at(home)).status).toBe(200);
    expectRefused(await at('nowhere'), 403, 'WRONG_WORKSPACE');
  });

  it.each([
    '?workspace=home',
    '?workspace_id=',
    '?workspace_id=a&workspace_id=a',
    '?workspace_id=%ff',
    '?limit_status=401',
    '?limit_status=',
    '?limit_status=403&limit_status=403',
  ])('never lets through with the option %s', async (path) => {
    errorOf(await ask({ path }), 400);
  });

  it('does not repeat a key string that was sent as the name of an option', async () => {
    expect(errorOf(await ask({ path: `?${created.key}` }), 400).paths).toEqual(['']);
  });

  it.each([
    ['/', { 'Keyledger-Require-Workspace': '' }],
    ['/', { 'Keyledger-Limit-Status': '200' }],
  ])('never lets through at %j with the headers %j', async (path, headers) => {
    errorOf(await ask({ path, headers }), 400);
  });

  it('takes the options from the query alone at exactly its path, where the headers are of the client', async () => {
    const headers = { 'Keyledger-Require-Workspace': 'nowhere', 'Keyledger-Limit-Status': '200' };
    expect(await ask({ headers })).toMatchObject({ status: 200 });
  });

  it('reads no body, and ends a connection that announces one after the answer', async () => {
    const connection = await openRawConnection(service.address);
    connection.send(
      `POST /v1/authorize HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nAuthorization: Bearer ${created.key}\r\nKeyledger-Authorization: Bearer ${account.managementKey}\r\n\r\n`,
    );
    await connection.closed;
    expect(connection.received()).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(connection.received()).toMatch(/\r\nConnection: close\r\n/i);
  });

  it('is told in the log by its route and its gateway, without path or key', async () => {
    const asked = await ask({ path: '/a-secret-path' });
    const id = asked.headers.get('x-request-id') ?? 'none';
    const line = await eventually('the log line', () =>
      service.logLines.find((one) => one.includes(id)),
    );
    expect(line).toContain('"route":"/v1/authorize"');
    expect(JSON.parse(line)).toMatchObject({
      address: '127.0.0.1',
      account_id: account.accountId,
      user_id: account.userId,
      key: hashKeyString(account.managementKey).slice(0, 8),
      status: 200,
    });
    const all = service.logLines.join('');
    for (const secret of ['a-secret-path', created.key, hashKeyString(created.key)])
      expect(all).not.toContain(secret);
  });
});

const [INFO, ERROR] = [30, 50];

describe('the management key of a gateway', () => {
  const account = accountOf(service);
  let key: string;

  beforeAll(async () => {
    ({ key } = await createKey(account.client));
  });

  function ask(authorization?: string): Promise<Answer> {
    const headers = authorization === undefined ? {} : { 'Keyledger-Authorization': authorization };
    return service.client.as(key).get('/v1/authorize', { headers });
  }

  async function expectRefused(authorization?: string): Promise<void> {
    const answer = await ask(authorization);
    expect(errorOf(answer, 403).userId).toBeNull();
    expect(answer.headers.get('keyledger-code')).toBe('GATEWAY_UNAUTHORIZED');
  }

  /** Gives the refusals that are counted, by what was wrong with the key. */
  async function counted(): Promise<Record<string, number>> {
    const seen = await scrape(service.client);
    const faults = ['missing', 'unknown', 'revoked', 'expired', 'role'];
    return Object.fromEntries(
      faults.map((fault) => [
        fault,
        seen.value('keyledger_gateway_refusals_total', { key: fault }) ?? NaN,
      ]),
    );
  }

  const logged = (): string[] =>
    service.logLines.filter((line) => line.includes('key of a gateway is'));

  it('lets nobody in who has none or a wrong one, and is one INFO line a second, never 429', async () => {
    const wrong = ['x', key, mintKeyString('mk-v1-'), 'mk-v1-x'].map((one) => `Bearer ${one}`);
    const { missing = NaN, unknown = NaN, ...others } = await counted();
    for (const one of [...wrong, ...wrong]) await expectRefused(one);
    for (const one of [undefined, `Basic ${account.managementKey}`]) await expectRefused(one);
    expect(await counted()).toEqual({ missing: missing + 2, unknown: unknown + 8, ...others });
    const lines = await eventually('both log lines', () => logged().length > 1 && logged());
    expect(lines.length).toBeLessThan(10);
    // A stranger can send all of these, so none is an error.
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: INFO, address: '127.0.0.1' });
    expect(lines.join('')).not.toContain('mk-v1-');
  });

  it('is an ERROR line once it is revoked, because it was right before', async () => {
    const gateway = await service.openAccount();
    const authorization = `Bearer ${gateway.managementKey}`;
    expect((await ask(authorization)).headers.get('keyledger-code')).toBe('NOT_FOUND');
    const hash = hashKeyString(gateway.managementKey);
    const revoke = new RevokeManagementKey(gateway.accountId, hash, OPERATOR);
    await service.app.get(CommandBus).execute(revoke);
    const { revoked = NaN, ...others } = await counted();
    await expectRefused(authorization);
    expect(await counted()).toEqual({ ...others, revoked: revoked + 1 });
    const line = await eventually('the log line', () =>
      logged().find((one) => one.includes('revoked')),
    );
    expect(JSON.parse(line)).toMatchObject({ level: ERROR, address: '127.0.0.1' });
  });

  it.each([
    ['has expired', 'admin', '2001-01-01T00:00:00.000Z', 'expired', ERROR],
    ['has the role auditor', 'auditor', null, 'role', INFO],
  ] as const)(
    'that %s is refused, with account and hash in the line',
    async (_, role, expires_at, fault, level) => {
      const gateway = await makeManagementKey(service, account, role, expires_at);
      const { [fault]: before = NaN, ...others } = await counted();
      await expectRefused(`Bearer ${gateway}`);
      expect(await counted()).toEqual({ ...others, [fault]: before + 1 });
      const { accountId: account_id } = account;
      const hash = hashKeyString(gateway).slice(0, 8);
      const line = await eventually('the log line', () =>
        logged().find((one) => one.includes(fault)),
      );
      expect(JSON.parse(line)).toMatchObject({ level, account_id, key: hash });
    },
  );

  it('that was an auditor until it expired is counted under its role', async () => {
    const gateway = await makeManagementKey(service, account, 'auditor', '2001-01-01T00:00:00Z');
    const { role: before = NaN, ...others } = await counted();
    await expectRefused(`Bearer ${gateway}`);
    expect(await counted()).toEqual({ ...others, role: before + 1 });
  });
});
