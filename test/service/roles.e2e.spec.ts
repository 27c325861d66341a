import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CLOCK, type Clock } from '../../src/kernel/clock.js';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { type Role, ROLES } from '../../src/kernel/role.js';
import type { ApiDescription } from '../support/harness/api-description.js';
import { errorOf } from '../support/harness/error-of.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import type { Answer } from '../support/harness/http-client.js';
import { makeManagementKey } from '../support/harness/management-keys.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';

const service = runningApp();

const OF_GATEWAYS = [
  'POST /v1/keys/verify',
  'GET /v1/authorize',
  'POST /v1/oauth/introspect',
  'PUT /v1/usage-reports/{report_id}',
];
const OF_ALL = ['GET /v1/usage-reports/{report_id}', 'GET /v1/key'];

/** The roles that may use an operation, by the words of docs/api.md 1.2. */
function rolesOf(operation: string): Role[] {
  if (OF_GATEWAYS.includes(operation)) return ['gateway', 'admin'];
  if (OF_ALL.includes(operation)) return ['gateway', 'auditor', 'admin'];
  return /^(GET|HEAD) /.test(operation) ? ['auditor', 'admin'] : ['admin'];
}

/** Sends a request with a key and no body, to objects that do not exist. */
function send(operation: string, key: string): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ');
  const unknown = path
    .replace(/\{(report_id|id)\}/, randomUUID())
    .replace(/\{[\w-]+\}/g, UNKNOWN_HASH);
  const headers = { 'Keyledger-Authorization': `Bearer ${key}` };
  return service.client.as(key).send(method, unknown, { headers });
}

/** Whether an answer says that the role of the key is the wrong one. */
function isRefused({ body, headers, status }: Answer): boolean {
  if (headers.get('keyledger-code') === 'GATEWAY_UNAUTHORIZED') return true;
  return status === 403 && JSON.stringify(body).includes('role-missing');
}

describe.each(['organization', 'individual'] as const)('in an %s', (kind) => {
  let account: TestAccount;
  let description: ApiDescription;
  let operations: string[];

  beforeAll(async () => {
    account = await service.openAccount(kind);
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
    operations = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  });

  it('the document says of each operation which roles may use it', () => {
    const said = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        (operation as unknown as Record<string, unknown>)['x-roles'],
      ]),
    );
    expect(said).toEqual(operations.map((operation) => [operation, rolesOf(operation)]));
    expect(operations.length).toBeGreaterThan(25);
  });

  it.each(ROLES)('a key with the role %s may do just that', async (role) => {
    const key = await makeManagementKey(service, account, role);
    const heads = operations
      .filter((operation) => operation.startsWith('GET ') && !OF_GATEWAYS.includes(operation))
      .map((operation) => operation.replace('GET', 'HEAD'));
    for (const operation of [...operations, ...heads]) {
      const answer = await send(operation, key);
      const isAllowed = rolesOf(operation.replace('HEAD', 'GET')).includes(role);
      const isForbidden = answer.text === '' ? answer.status === 403 : isRefused(answer);
      expect([operation, isForbidden]).toEqual([operation, !isAllowed]);
    }
  });
});

describe('a management key', () => {
  it('without the role for a route is told its own role and those that it needs', async () => {
    const account = await service.openAccount();
    const auditor = await makeManagementKey(service, account, 'auditor');
    const refused = errorOf(await service.client.as(auditor).post('/v1/keys', '{not JSON'), 403);
    expect(refused).toMatchObject({ reason: 'role-missing', userId: account.userId });
    expect(refused.metadata).toEqual({ role: 'auditor', needs: ['admin'] });
  });

  it('is an admin where its event names no role', async () => {
    const account = await service.openAccount();
    const { body } = await account.client.get('/v1/key');
    expect(body).toMatchObject({ data: { role: 'admin', expires_at: null } });
  });

  it('is 401 from the moment of its expiry on, also from memory, and says before when that is', async () => {
    const account = await service.openAccount();
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const key = await makeManagementKey(service, account, 'auditor', expires_at);
    const client = service.client.as(key);
    const { accountId: id } = account;
    expect((await client.get('/v1/key')).body).toMatchObject({
      data: {
        hash: hashKeyString(key),
        is_management_key: true,
        role: 'auditor',
        expires_at,
        account: { id, kind: 'organization', name: expect.any(String) },
      },
    });
    const now = jest.spyOn(service.app.get<Clock>(CLOCK), 'now');
    try {
      now.mockImplementation(() => new Date(Date.parse(expires_at) - 1));
      expect(await client.get('/v1/keys')).toMatchObject({ status: 200 });
      now.mockImplementation(() => new Date(expires_at));
      for (const path of ['/v1/keys', '/v1/key']) {
        const refused = errorOf(await client.get(path), 401);
        expect(refused.reason).toBe('key-expired');
      }
    } finally {
      now.mockRestore();
    }
  });
});
