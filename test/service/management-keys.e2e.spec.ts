import { CommandBus } from '@nestjs/cqrs';
import { describe, expect, it, jest } from '@jest/globals';
import { AddMember, RemoveMember } from '../../src/features/accounts/accounts.commands.js';
import { ACCOUNT_QUOTAS } from '../../src/features/accounts/domain/quotas.js';
import {
  CreateManagementKey,
  CreateManagementKeyHandler,
} from '../../src/features/accounts/management-keys.commands.js';
import { CLOCK, type Clock } from '../../src/kernel/clock.js';
import { DecisionRunner } from '../../src/event-sourcing/decisions/decision-runner.js';
import { type Ledger, MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { Unavailable } from '../../src/kernel/errors.js';
import { createKey } from '../support/harness/api-keys.js';
import { auditEvents } from '../support/harness/audit-events.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import { TIME, UNKNOWN_HASH } from '../support/harness/forms.js';
import type { Answer, HttpClient } from '../support/harness/http-client.js';
import { type MadeString, madeString } from '../support/harness/made-strings.js';
import { makeManagementKey } from '../support/harness/management-keys.js';
import {
  accountOfEach,
  OPERATOR,
  runningApp,
  type TestAccount,
} from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';

interface ManagementKey {
  readonly hash: string;
  readonly revoked_at: string | null;
}
interface OneKey {
  readonly data: ManagementKey;
  readonly key: string;
}
interface List {
  readonly data: readonly ManagementKey[];
  readonly total_count: number;
}

const KEYS = '/v1/management-keys';
const PAST = '2001-01-01T00:00:00Z';
const FUTURE = '2100-01-01T00:00:00Z';

const service = runningApp({ QUOTA_MANAGEMENT_KEYS: '4' });
const account = accountOfEach(service);

const minted = (): MadeString => madeString('mk-v1-');
const put = (hash: string, body: unknown, client: HttpClient = account.client) =>
  client.put<OneKey>(`${KEYS}/${hash}`, body);
const post = (body: unknown, client: HttpClient = account.client) =>
  client.post<OneKey>(KEYS, body);

async function join(user: string): Promise<void> {
  await service.app.get(CommandBus).execute(new AddMember(account.accountId, user, OPERATOR));
}

/** Whether a key opens a route for its role. */
async function opens(key: string): Promise<boolean> {
  return (await service.client.as(key).get('/v1/key')).status === 200;
}

function expectRefusal(answer: Answer, status: number, reason: string, metadata?: object): void {
  expect(errorOf(answer, status)).toMatchObject({ reason, ...(metadata && { metadata }) });
}

describe('a management key over HTTP', () => {
  it('is made for the user of the caller, shown once, and opens what its role allows', async () => {
    const made = await post({ role: 'auditor' });
    expect(made).toMatchObject({ status: 201 });
    const { data, key } = made.body;
    expect(data).toEqual({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      name: null,
      user_id: account.userId,
      role: 'auditor',
      expires_at: null,
      created_at: expect.stringMatching(TIME),
      created_by: account.userId,
      revoked_at: null,
    });
    expect((await account.client.get(`${KEYS}/${data.hash}`)).body).toEqual({ data });
    const client = account.client.as(key);
    expect(await client.get('/v1/keys')).toMatchObject({ status: 200 });
    expect(await client.post('/v1/keys', { name: 'a' })).toMatchObject({ status: 403 });
  });

  it('may be of another member, with a name and an expiry, also a past one', async () => {
    await join('bob');
    const wanted = { name: 'ci', user_id: 'bob', role: 'admin', expires_at: PAST };
    const { body, status } = await post(wanted);
    expect(status).toBe(201);
    const expires_at = '2001-01-01T00:00:00.000Z';
    expect(body.data).toMatchObject({ name: 'ci', user_id: 'bob', role: 'admin', expires_at });
    expectRefusal(await service.client.as(body.key).get('/v1/keys'), 401, 'key-expired');
    const [event] = await auditEvents(account.client);
    expect(event).toMatchObject({
      action: 'management-key.created',
      target: { type: 'management-key', id: body.data.hash, name: 'ci' },
      changes: expect.arrayContaining([
        { field: 'role', before: null, after: 'admin' },
        { field: 'expires_at', before: null, after: expires_at },
      ]),
    });
  });

  it.each([
    ['a role', {}, ['role']],
    ['a role that there is', { role: 'owner' }, ['role']],
    ['no unknown field', { role: 'admin', scope: 'all' }, ['scope']],
    ['a name that is not empty', { role: 'admin', name: '' }, ['name']],
    ['an expiry with seconds', { role: 'admin', expires_at: '2100-01-01T00:00Z' }, ['expires_at']],
    ['a member', { role: 'admin', user_id: 'nobody' }, ['user_id']],
  ])('takes %s', async (_, body, paths) => {
    for (const answer of [await post(body), await put(minted().hash, body)]) {
      expect(errorOf(answer, 400).paths).toEqual(paths);
    }
  });

  it('is made once under the hash of a string that the caller made', async () => {
    const { key, hash } = minted();
    const wanted = { role: 'gateway', name: null, expires_at: FUTURE };
    const made = await put(hash, wanted);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({ data: expect.objectContaining({ hash, role: 'gateway' }) });
    expect(await opens(key)).toBe(true);
    const before = await stateOf(service);
    for (const body of [wanted, { ...wanted, user_id: account.userId }]) {
      expect(await put(hash, body)).toMatchObject({ status: 200, body: made.body });
    }
    const differs = await put(hash, { role: 'admin', name: 'x', expires_at: FUTURE });
    expectRefusal(differs, 409, 'key-differs', { fields: ['name', 'role'] });
    expect(await stateOf(service)).toEqual(before);
  });

  it('repeats a creation by POST, and by any user unless the body names one', async () => {
    await join('bob');
    const { data } = (await post({ role: 'auditor' })).body;
    const ofBob = (await post({ role: 'admin', user_id: 'bob' })).body.key;
    const repeat = await put(data.hash, { role: 'auditor' }, account.client.as(ofBob));
    expect(repeat).toMatchObject({ status: 200, body: { data } });
    const named = await put(data.hash, { role: 'auditor', user_id: 'bob' });
    expectRefusal(named, 409, 'key-differs', { fields: ['user_id'] });
  });

  it('that expired is answered as it is, and one that was revoked never lives again', async () => {
    const expired = minted();
    await put(expired.hash, { role: 'admin', expires_at: PAST });
    expect(await put(expired.hash, { role: 'admin', expires_at: PAST })).toMatchObject({
      status: 200,
    });
    const revoked = minted();
    await put(revoked.hash, { role: 'admin' });
    expect(await account.client.delete(`${KEYS}/${revoked.hash}`)).toMatchObject({ status: 200 });
    expectRefusal(await put(revoked.hash, { role: 'admin' }), 409, 'hash-used');
    expect(await opens(revoked.key)).toBe(false);
  });

  it('takes no hash that anything else has, nor gives its own away', async () => {
    const used = [(await createKey(account.client)).data.hash];
    const deleted = await createKey(account.client);
    await account.client.delete(`/v1/keys/${deleted.data.hash}`);
    const other = await service.openAccount();
    const foreign = minted();
    await put(foreign.hash, { role: 'admin' }, other.client);
    used.push(deleted.data.hash, (await createKey(other.client)).data.hash, foreign.hash);
    for (const hash of used) {
      expectRefusal(await put(hash, { role: 'admin' }), 409, 'hash-used');
    }
    expectRefusal(
      await account.client.put(`/v1/keys/${foreign.hash}`, { name: 'a' }),
      409,
      'hash-used',
    );
    expect(await account.client.get(`${KEYS}/${foreign.hash}`)).toMatchObject({ status: 404 });
  });

  it('refuses a hash that is none or a cut string, and never repeats it', async () => {
    for (const hash of ['ab'.repeat(31), 'AB'.repeat(32), minted().key.slice(-64)]) {
      const lines = service.logLines.length;
      const answer = await put(hash, { role: 'admin' });
      expectInvalid(answer, account, 'hash');
      expect(answer.text + service.logLines.slice(lines).join()).not.toContain(hash);
    }
  });

  it('that was cut off after its string was reserved opens nothing until the repeat finishes it', async () => {
    const { key, hash } = minted();
    const runner = service.app.get<DecisionRunner>(MANAGEMENT.runner);
    const run = runner.run.bind(runner);
    const cutOff = jest.spyOn(runner, 'run').mockImplementation(async (decision) => {
      if (decision.aggregate.streamOf('').startsWith('key-')) return run(decision);
      const state = await runner.load(decision.aggregate, decision.id);
      await decision.decide(state);
      throw new Unavailable('event log', 'it was cut off');
    });
    expect(await put(hash, { role: 'admin' })).toMatchObject({ status: 503 });
    cutOff.mockRestore();
    expect(await opens(key)).toBe(false);
    const rival = await service.openAccount();
    expectRefusal(await put(hash, { role: 'admin' }, rival.client), 409, 'hash-used');
    expect(await put(hash, { role: 'admin' })).toMatchObject({ status: 201 });
    expect(await opens(key)).toBe(true);
  });

  it('belongs to one account, and is made once, however many ask for its hash at once', async () => {
    const rival = await service.openAccount();
    const { hash } = minted();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const { client } = index % 2 === 0 ? account : rival;
        return index % 3 === 0
          ? client.put(`/v1/keys/${hash}`, { name: 'a' })
          : put(hash, { role: 'admin' }, client);
      }),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    for (const { status } of answers) expect([200, 201, 409]).toContain(status);
  });
});

describe('the list of management keys', () => {
  it('has every key of the account that is not revoked, oldest first, expired ones too', async () => {
    const hashes: string[] = [];
    for (const expires_at of [null, PAST, null]) {
      hashes.push((await post({ role: 'gateway', expires_at })).body.data.hash);
    }
    await account.client.delete(`${KEYS}/${hashes[0] ?? ''}`);
    const list = (query = ''): Promise<Answer<List>> => account.client.get(KEYS + query);
    const shown = async (query?: string): Promise<unknown> =>
      (await list(query)).body.data.map(({ hash }) => hash).slice(query ? 0 : 1);
    expect(await shown()).toEqual(hashes.slice(1));
    expect((await list()).body.total_count).toBe(3);
    expect(await shown('?include_revoked=true&offset=1&limit=2')).toEqual(hashes.slice(0, 2));
    const all = (await list('?include_revoked=true')).body;
    expect(all.total_count).toBe(4);
    expect(all.data[1]?.revoked_at).toMatch(TIME);
    expect(await list('?limit=101')).toMatchObject({ status: 400 });
    expect(await list('?role=admin')).toMatchObject({ status: 400 });
  });

  it('has no key of another account', async () => {
    const foreign = (await post({ role: 'admin' }, (await service.openAccount()).client)).body;
    for (const hash of [foreign.data.hash, UNKNOWN_HASH, 'nothing']) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await account.client.send(method, `${KEYS}/${hash}`);
        expectRefusal(answer, 404, 'not-found');
      }
    }
    expect(await opens(foreign.key)).toBe(true);
  });
});

describe('revoking a management key', () => {
  it('shuts it out at once and permanently, and may be repeated', async () => {
    const { data, key } = (await post({ role: 'gateway' })).body;
    expect(await opens(key)).toBe(true);
    const one = `${KEYS}/${data.hash}`;
    for (let time = 0; time < 2; time += 1) {
      expect(await account.client.delete(one)).toMatchObject({ body: { deleted: true } });
      expectRefusal(await service.client.as(key).get('/v1/key'), 401, 'key-invalid');
    }
    const actions = (await auditEvents(account.client)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'management-key.revoked')).toHaveLength(1);
  });

  it('never takes the last admin key without expiry', async () => {
    const own = `${KEYS}/${await hashOf(account)}`;
    const gateway = (await post({ role: 'gateway' })).body.data;
    const expiring = (await post({ role: 'admin', expires_at: FUTURE })).body.key;
    const client = account.client.as(expiring);
    for (const caller of [account.client, client]) {
      expectRefusal(await caller.delete(own), 409, 'last-admin-key');
    }
    expect(await client.delete(`${KEYS}/${gateway.hash}`)).toMatchObject({ status: 200 });
    const next = (await post({ role: 'admin' })).body.key;
    expect(await service.client.as(next).delete(own)).toMatchObject({ status: 200 });
    expect(await opens(account.managementKey)).toBe(false);
  });
});

describe('the bounds of management keys', () => {
  it('let a key that expires make none that lives longer', async () => {
    const expiring = await makeManagementKey(service, account, 'admin', '2100-01-01T00:00:00.000Z');
    const client = account.client.as(expiring);
    const until = { expires_at: '2100-01-01T00:00:00.000Z' };
    for (const expires_at of [null, '2100-01-01T00:00:00.001Z']) {
      const body = { role: 'gateway', expires_at };
      expectRefusal(await post(body, client), 403, 'beyond-own-key', until);
    }
    expect(await post({ role: 'admin', expires_at: FUTURE }, client)).toMatchObject({
      status: 201,
    });
  });

  it('count live keys alone, and reserve nothing for a key that they refuse', async () => {
    const expired = (await post({ role: 'admin', expires_at: PAST })).body;
    const revoked = (await post({ role: 'admin' })).body;
    await account.client.delete(`${KEYS}/${revoked.data.hash}`);
    for (let made = 1; made < 4; made += 1) {
      expect(await post({ role: 'gateway' })).toMatchObject({ status: 201 });
    }
    const { hash } = minted();
    const quota = { quota: 'management-keys', limit: 4 };
    expectRefusal(await put(hash, { role: 'gateway' }), 409, 'quota-exceeded', quota);
    const rival = await service.openAccount();
    expect(await put(hash, { role: 'admin' }, rival.client)).toMatchObject({ status: 201 });
    // A new key took the place of the expired one, which is expired still.
    expectRefusal(await service.client.as(expired.key).get('/v1/key'), 401, 'key-expired');
    expect(await account.client.delete(`${KEYS}/${expired.data.hash}`)).toMatchObject({
      status: 200,
    });
  });

  it('reserve nothing when another process has used the quota up', async () => {
    const { accountId, userId: user_id } = account;
    await post({ role: 'admin' });
    const { app } = service;
    const { log, registry } = app.get<Ledger>(MANAGEMENT.ledger);
    const clock = app.get<Clock>(CLOCK);
    const runner = new DecisionRunner(log, registry, clock);
    const elsewhere = new CreateManagementKeyHandler(runner, app.get(ACCOUNT_QUOTAS), clock);
    for (let made = 2; made < 4; made += 1) {
      const wanted = { user_id, name: null, role: 'admin', expires_at: null } as const;
      const { hash } = minted();
      await elsewhere.execute(new CreateManagementKey(accountId, { hash, ...wanted }, OPERATOR));
    }
    const { hash } = minted();
    expectRefusal(await put(hash, { role: 'gateway' }), 409, 'quota-exceeded');
    const rival = await service.openAccount();
    expect(await put(hash, { role: 'admin' }, rival.client)).toMatchObject({ status: 201 });
  });

  it('free the place of a key when it expires', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    for (let made = 1; made < 4; made += 1) await post({ role: 'gateway', expires_at: soon });
    expectRefusal(await post({ role: 'gateway' }), 409, 'quota-exceeded');
    const now = jest.spyOn(service.app.get<Clock>(CLOCK), 'now');
    try {
      now.mockImplementation(() => new Date(soon));
      expect(await post({ role: 'gateway' })).toMatchObject({ status: 201 });
    } finally {
      now.mockRestore();
    }
  });

  it('leave no key to a user who departs, not even one that is being made', async () => {
    await join('bob');
    const { key, hash } = minted();
    const wanted = { role: 'admin', user_id: 'bob' };
    await put(hash, wanted);
    const bus = service.app.get(CommandBus);
    const [late] = await Promise.all([
      put(minted().hash, wanted),
      bus.execute(new RemoveMember(account.accountId, 'bob', OPERATOR)),
    ]);
    expect([201, 400]).toContain(late.status);
    expect(await opens(key)).toBe(false);
    const { data } = (await account.client.get<List>(KEYS)).body;
    expect(data).toHaveLength(1);
    expectRefusal(await put(hash, wanted), 409, 'hash-used');
  });
});

async function hashOf({ client }: TestAccount): Promise<string> {
  return (await client.get<{ data: { hash: string } }>('/v1/key')).body.data.hash;
}
