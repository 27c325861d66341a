import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { AccountFacts } from '../../src/features/accounts/published/account-facts.js';
import { RevokeManagementKey } from '../../src/features/accounts/management-keys.commands.js';
import { KEY_FINDER, type KeyFinder } from '../../src/edge/http/callers/bearer-key.js';
import { Unavailable } from '../../src/kernel/errors.js';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { LogFollower } from '../../src/event-sourcing/event-log/log-follower.js';
import { ReadModels } from '../../src/event-sourcing/projections/read-models.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import type { Answer } from '../support/harness/http-client.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { OPERATOR, runningApp, startApp } from '../support/harness/running-app.js';
import { appendUnreadable } from '../support/harness/unreadable-event.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';

const MISSING = 'Missing Authentication header';
const MALFORMED = 'The Authorization header must have the form "Bearer <API_KEY>"';
const INVALID = 'Invalid API key';
const REVOKED_WITHIN_MS = 1_000;
const STUCK_DEADLINE_MS = 3_000;

describe('authentication', () => {
  const service = runningApp();

  afterEach(() => {
    jest.restoreAllMocks();
  });

  function withHeader(authorization?: string): Promise<Answer> {
    return service.client
      .as(undefined)
      .get('/v1/end-users', { headers: authorization === undefined ? {} : { authorization } });
  }

  function expectRefused(answer: Answer, expected: string): void {
    const { message, metadata, userId } = errorOf(answer, 401);
    expect({ message, metadata, userId }).toEqual({
      message: expected,
      metadata: null,
      userId: null,
    });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }

  it('lets a management key in, however the scheme is written', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer ']) {
      const answer = await withHeader(`${scheme} ${service.managementKey}`);
      expect(answer).toMatchObject({ status: 200 });
    }
  });

  it.each([undefined, ''])('refuses a request with the header %p', async (header) => {
    expectRefused(await withHeader(header), MISSING);
  });

  it.each([
    'Bearer',
    'Basic dXNlcjpwYXNz',
    'Token abc',
    'abc',
    'Bearer a b',
    'Bearer a, Bearer b',
    'Bearer: abc',
    'Bearer caf\u00e9',
    'BearerBearer abc',
  ])('refuses %p, which is no bearer token', async (header) => {
    expectRefused(await withHeader(header), MALFORMED);
  });

  it('refuses a management key in another scheme or without one', async () => {
    expectRefused(await withHeader(service.managementKey), MALFORMED);
    expectRefused(await withHeader(`Basic ${service.managementKey}`), MALFORMED);
  });

  it('refuses a management key that is not the only one given', async () => {
    const good = `Authorization: Bearer ${service.managementKey}\r\n`;
    for (const other of [good, 'Authorization: Bearer x\r\n', 'Authorization:\r\n']) {
      const request = `GET /v1/end-users HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${good}${other}\r\n`;
      expectRefused(await sendRaw(service.address, request), MALFORMED);
    }
  });

  it('finds the key behind as many headers as there may be', async () => {
    const key = `Authorization: Bearer ${service.managementKey}\r\n`;
    const request = `GET /v1/end-users HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${'a:\r\n'.repeat(3_000)}${key}\r\n`;
    expect(await sendRaw(service.address, request)).toMatchObject({ status: 200 });
  });

  it('refuses a well-formed key that does not exist', async () => {
    for (const key of [mintKeyString('mk-v1-'), mintKeyString('sk-v1-'), 'x', 'x'.repeat(2_000)]) {
      expectRefused(await withHeader(`Bearer ${key}`), INVALID);
    }
  });

  it('refuses a mistyped key of ours without looking it up', async () => {
    const find = jest.spyOn(service.app.get<KeyFinder>(KEY_FINDER), 'find');
    const key = mintKeyString('mk-v1-');
    const flipped = key.slice(0, 20) + (key[20] === '0' ? '1' : '0') + key.slice(21);
    const broken = [flipped, key.slice(0, -1), `${key}0`, `mk-v1-${key.slice(6).toUpperCase()}`];
    for (const mistyped of [...broken, 'mk-v1-', 'sk-v1-x', key.replace('mk', 'sk')]) {
      expectRefused(await withHeader(`Bearer ${mistyped}`), INVALID);
    }
    expect(find).not.toHaveBeenCalled();
    expectRefused(await withHeader(`Bearer ${key}`), INVALID);
    expect(find).toHaveBeenCalledTimes(1);
  });

  it('lets a key work and an API key be known from the moment it was answered', async () => {
    for (let count = 0; count < 20; count += 1) {
      const { client } = await service.openAccount();
      expect(await client.get('/v1/end-users')).toMatchObject({ status: 200 });
      const { key } = await createKey(client);
      errorOf(await client.get('/v1/end-users', { key }), 403);
    }
  });

  it('refuses a revoked management key from a second after its revocation at the latest', async () => {
    const account = await service.openAccount();
    const hash = hashKeyString(account.managementKey);
    expect(await account.client.get('/v1/end-users')).toMatchObject({ status: 200 });
    await service.app
      .get(CommandBus)
      .execute(new RevokeManagementKey(account.accountId, hash, OPERATOR));
    const revoked = performance.now();
    const refusal = await eventually('a refusal', async () => {
      const begun = performance.now();
      const answer = await account.client.get('/v1/end-users');
      if (answer.status === 401) return answer;
      expect(begun - revoked).toBeLessThan(REVOKED_WITHIN_MS);
      return false;
    });
    expectRefused(refusal, INVALID);
  });

  it('counts that second from when the log was asked, however late it answers', async () => {
    const { accountId, managementKey, client } = await service.openAccount();
    const revoke = new RevokeManagementKey(accountId, hashKeyString(managementKey), OPERATOR);
    const facts = service.app.get(AccountFacts);
    const asked = facts.account.bind(facts);
    const now = performance.now.bind(performance);
    const late = jest.spyOn(facts, 'account').mockImplementationOnce(async (id) => {
      const found = await asked(id);
      await service.app.get(CommandBus).execute(revoke);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + REVOKED_WITHIN_MS);
      return found;
    });
    expect(await client.get('/v1/end-users')).toMatchObject({ status: 200 });
    expect(late).toHaveBeenCalledTimes(1);
    expectRefused(await client.get('/v1/end-users'), INVALID);
  });

  it('knows a management key by its account while the log is slow and the read models are away', async () => {
    const { client } = await service.openAccount();
    expect(await client.get('/v1/end-users')).toMatchObject({ status: 200 });
    const away = new Unavailable('read store', 'away');
    jest.spyOn(LogFollower.prototype, 'catchUpTo').mockRejectedValue(away);
    jest.spyOn(ReadModels.prototype, 'read').mockRejectedValue(away);
    expect((await client.get(`/v1/usage-reports/${randomUUID()}`)).status).toBe(404);
  });

  it('refuses it then also while the read models are stuck, and admits a new one', async () => {
    const own = await startApp();
    try {
      const { accountId, managementKey, client } = await own.openAccount();
      expect(await client.get('/v1/end-users')).toMatchObject({ status: 200 });
      await appendUnreadable(own.app, 'AccountCreated');
      const models = own.app.get<ReadModels>(MANAGEMENT.models);
      await eventually('the read models are stuck', () => models.state.phase === 'stuck');
      const revoke = new RevokeManagementKey(accountId, hashKeyString(managementKey), OPERATOR);
      await own.app.get(CommandBus).execute(revoke);
      const look = async (): Promise<Answer | false> => {
        const answer = await client.get('/v1/end-users');
        return answer.status === 401 && answer;
      };
      expectRefused(await eventually('a refusal', look, STUCK_DEADLINE_MS), INVALID);
      const later = await own.openAccount();
      expect(await later.client.get('/v1/end-users')).toMatchObject({ status: 200 });
      expect(models.state.phase).toBe('stuck');
      expect(await own.client.get('/v1/end-users')).toMatchObject({ status: 200 });
    } finally {
      await own.stop();
    }
  });

  it('names the user in errors after authentication', async () => {
    const account = await service.openAccount();
    const wrong = await account.client.get('/v1/end-users?limit=0');
    expect(errorOf(wrong, 400).userId).toBe(account.userId);
    expect(errorOf(await account.client.get('/nothing'), 404).userId).toBeNull();
  });
});
