import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ErrorBody } from '../../src/edge/http/answers/error-body.js';
import { ERROR_TABLE, FAULT_TABLE } from '../../src/edge/http/answers/error-table.js';
import { type ApiDescription, schemasOf } from '../support/harness/api-description.js';
import { createKey } from '../support/harness/api-keys.js';
import { type Fixture, PROVOCATIONS } from '../support/harness/error-provocations.js';
import { createOrphanedKey } from '../support/harness/orphaned-keys.js';
import { failOnce } from '../support/harness/fail-once.js';
import { runningApp } from '../support/harness/running-app.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

/** The errors of commands that the command line alone has. */
const OPERATORS = [
  ...['account-already-exists', 'account-is-individual', 'member-already-added'],
  ...['owner-not-removable', 'workspace-member-already-added', 'workspace-member-unknown'],
  'management-key-already-revoked',
];
/** `test/service/operations.e2e.spec.ts` asks a service that is not ready. */
const NOT_READY = 'not-ready';

const TABLE: Readonly<Record<string, { readonly status: number }>> = {
  ...ERROR_TABLE,
  ...FAULT_TABLE,
};
const CASES = Object.entries(PROVOCATIONS);

/** The limit of writes is above the number of writes that fail on purpose. */
const WRITES = 60;

describe('the table of errors', () => {
  const service = runningApp({ RATE_LIMIT_WRITES: `${WRITES}/600s` });
  let fixture: Fixture;
  let isError: ReturnType<ReturnType<typeof schemasOf>>;

  beforeAll(async () => {
    const { body } = await service.client.get<ApiDescription>('/openapi.json');
    isError = schemasOf(body)({ $ref: '#/components/schemas/Error' });
    const account = await service.openAccount();
    const { client } = account;
    const disabled = await createKey(client);
    await client.patch(`/v1/keys/${disabled.data.hash}`, { disabled: true });
    const restrictions = ['eu-only'];
    const workspace_id = await makeWorkspace(service, account, { restrictions });
    const { data, key } = await createKey(client, { workspace_id });
    await client.post('/v1/end-users', { user: 'taken' });
    const spent = await service.openAccount();
    for (let made = 0; made < WRITES; made++) {
      await spent.client.post('/v1/end-users', { user: `user-${made}` });
    }
    fixture = {
      service,
      account,
      spent,
      individual: await service.openAccount('individual'),
      apiKey: key,
      disabledKey: disabled.key,
      expiredKey: (await createKey(client, { expires_at: '2001-01-01T00:00:00Z' })).key,
      spentKey: (await createKey(client, { limit: 0 })).key,
      hash: data.hash,
      crowded: workspace_id,
      deserted: await makeWorkspace(service, account, { restrictions }),
      orphaned: (await createOrphanedKey(service, account)).data.hash,
    };
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('has no reason but those that a request or an operator can provoke', () => {
    const known = [...Object.keys(PROVOCATIONS), ...OPERATORS, NOT_READY];
    expect(Object.keys(TABLE).sort()).toEqual(known.sort());
  });

  it.each(CASES)('says what is answered when a request provokes %s', async (reason, provoke) => {
    const { route, fault, ...call } = provoke(fixture);
    const [method = '', path = ''] = route.split(' ');
    if (fault !== undefined) failOnce(service, method, path, fault);
    const { status, headers, body } = await fixture.account.client.send(method, path, call);
    const { error } = body as ErrorBody;
    expect({ status, code: error.code, reason: error.metadata['reason'] }).toEqual({
      status: TABLE[reason]?.status,
      code: status,
      reason,
    });
    isError(body);
    expect(isError.errors).toBeNull();
    expect(headers.has('x-request-id')).toBe(true);
    expect(headers.get('www-authenticate')?.startsWith('Bearer') ?? false).toBe(status === 401);
    expect(headers.has('retry-after')).toBe(status === 429 || status === 503);
    expect(headers.get('etag')).toBeNull();
  });
});
