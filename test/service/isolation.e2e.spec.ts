import { beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import {
  CreateManagementKey,
  RevokeManagementKey,
} from '../../src/features/accounts/accounts.commands.js';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { createKey, eventTypesOfKey } from '../support/harness/api-keys.js';
import { auditEvents } from '../support/harness/audit-events.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { type Route, routesOf } from '../support/harness/routes-of.js';
import { OPERATOR, runningApp, type TestAccount } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';

const BODY = { name: 'taken over', user: 'taken-over', disabled: true, user_ids: ['taken-over'] };
const END_USER_BODY = { is_active: false };

describe('an account', () => {
  const service = runningApp();
  let victim: TestAccount;
  /** The hash of a key of the victim. */
  let hash: string;
  let apiKey: string;
  /** The id of the event that created the API key. */
  let eventId: string;
  /** Every route of the interface. */
  let routes: Route[];

  beforeAll(async () => {
    victim = await service.openAccount();
    ({
      data: { hash },
      key: apiKey,
    } = await createKey(victim.client));
    const created = await auditEvents(victim.client, 'action=key.created');
    eventId = created[0]?.id ?? '';
    await victim.client.post('/v1/end-users', { user: 'of-the-victim' });
    routes = routesOf(service.app).filter(({ path }) => path.startsWith('/v1/'));
  });

  function send({ method, path }: Route, key: string | undefined): Promise<Answer> {
    const filled = path
      .replace(':hash', hash)
      .replace(':user', 'of-the-victim')
      .replace(':workspace', victim.defaultWorkspaceId)
      .replace(':id', eventId);
    const body = path.includes(':user') ? END_USER_BODY : BODY;
    return service.client.as(key).send(method, filled, { ...(method !== 'GET' && { body }) });
  }

  /**
   * Expects that every route refuses a key, and that the log does not change.
   * @param ofItself the expected answer of `GET /v1/key`.
   */
  async function expectLockedOut(
    key: string | undefined,
    status: number,
    ofItself = status,
  ): Promise<void> {
    const before = await stateOf(service);
    expect(routes.length).toBeGreaterThanOrEqual(8);
    for (const route of routes) {
      const answer = await send(route, key);
      const expected = route.path === '/v1/key' ? ofItself : status;
      expect({ route, status: answer.status }).toEqual({ route, status: expected });
      if (expected !== 200) errorOf(answer, expected);
      expect(answer.text).not.toContain('of-the-victim');
    }
    expect(await stateOf(service)).toEqual(before);
  }

  async function revokedKey(): Promise<string> {
    const key = mintKeyString('mk-v1-');
    const commands = service.app.get(CommandBus);
    const { accountId, userId } = victim;
    const keyHash = hashKeyString(key);
    const wanted = { hash: keyHash, user_id: userId, name: 'to be revoked' };
    await commands.execute(new CreateManagementKey(accountId, wanted, OPERATOR));
    await commands.execute(new RevokeManagementKey(accountId, keyHash, OPERATOR));
    return key;
  }

  it('is closed on every route to a request without a key', () => expectLockedOut(undefined, 401));

  it('is closed on every route to what is no key', async () => {
    const almost = victim.managementKey.slice(0, -1);
    const invented = [mintKeyString('mk-v1-'), mintKeyString('sk-v1-'), almost, 'x', hash];
    for (const key of [...invented, hashKeyString(victim.managementKey)]) {
      await expectLockedOut(key, 401);
    }
  });

  it('is closed on every route to a revoked management key', async () =>
    expectLockedOut(await revokedKey(), 401));

  it('is closed on every route to its own API keys, live, disabled or expired', async () => {
    const disabled = await createKey(victim.client);
    await victim.client.patch(`/v1/keys/${disabled.data.hash}`, { disabled: true });
    const expired = await createKey(victim.client, { expires_at: '2001-01-01T00:00:00Z' });
    await expectLockedOut(apiKey, 403, 200);
    for (const key of [disabled.key, expired.key]) await expectLockedOut(key, 403, 401);
  });

  it('is closed on every route to a deleted API key', async () => {
    const deleted = await createKey(victim.client);
    await victim.client.delete(`/v1/keys/${deleted.data.hash}`);
    await expectLockedOut(deleted.key, 401);
  });

  it('is closed on every route to the API keys of another account', async () => {
    const other = await service.openAccount();
    const { key } = await createKey(other.client);
    await expectLockedOut(key, 403, 200);
    const { text } = await other.client.as(key).get('/v1/key');
    for (const own of [victim.accountId, victim.userId, victim.defaultWorkspaceId])
      expect(text).not.toContain(own);
  });

  it.each(['organization', 'individual'] as const)(
    'is not reached by the management key of another %s on any route',
    async (kind) => {
      const other = await service.openAccount(kind);
      const before = await eventTypesOfKey(service, hash);
      for (const route of routes) {
        const answer = await send(route, other.managementKey);
        expect(answer.text).not.toContain('of-the-victim');
        if (/:(hash|user|workspace|id)/.test(route.path)) errorOf(answer, 404);
        expect(answer.text).not.toContain(victim.accountId);
        expect(answer.text).not.toContain(victim.defaultWorkspaceId);
        expect(answer.text).not.toContain(victim.userId);
      }
      expect(await eventTypesOfKey(service, hash)).toEqual(before);
      const listed = await victim.client.get('/v1/end-users');
      expect(listed).toMatchObject({ body: { data: [{ user: 'of-the-victim' }], total_count: 1 } });
    },
  );

  it('has keys that no way of asking about a key tells from keys that nobody has', async () => {
    const { client, managementKey } = await service.openAccount();
    const gateway = { 'Keyledger-Authorization': `Bearer ${managementKey}` };
    /** Asks about a key in every way. Gives the answers without the parts that always differ: the id and the time. */
    const ask = async (key: string): Promise<unknown[]> => {
      const named = [{ key }, { hash: hashKeyString(key) }];
      const answers = [
        ...(await Promise.all(named.map((one) => client.post('/v1/keys/verify', one)))),
        await client.post('/v1/oauth/introspect', Buffer.from(`token=${key}`)),
        await service.client.as(key).get('/v1/authorize', { headers: gateway }),
        await service.client.get('/v1/authorize/a', { headers: { ...gateway, 'X-API-Key': key } }),
      ];
      return answers.map(({ status, headers, text }) => {
        const ownHeaders = [...headers].filter(
          ([name]) => !['date', 'x-request-id'].includes(name),
        );
        const id = headers.get('x-request-id') ?? '';
        return { status, headers: ownHeaders, text: text.replace(id, 'ID') };
      });
    };
    const before = await stateOf(service);
    const nobodys = await ask(mintKeyString('sk-v1-'));
    expect(nobodys).toMatchObject([200, 200, 200, 401, 401].map((status) => ({ status })));
    for (const key of [apiKey, victim.managementKey]) expect(await ask(key)).toEqual(nobodys);
    expect(await stateOf(service)).toEqual(before);
  });

  it('does not reveal its workspaces, members or keys to others that use them as ids', async () => {
    const other = await service.openAccount();
    const own = await createKey(other.client);
    const before = await stateOf(service);
    const workspace_id = victim.defaultWorkspaceId;
    errorOf(await other.client.post('/v1/keys', { name: 'a', workspace_id }), 400);
    errorOf(await other.client.patch(`/v1/keys/${own.data.hash}`, { workspace_id }), 400);
    errorOf(await other.client.patch(`/v1/keys/${hash}`, { workspace_id }), 404);
    errorOf(await other.client.get(`/v1/keys?workspace_id=${workspace_id}`), 400);
    const managementKeyHash = hashKeyString(other.managementKey);
    errorOf(await other.client.patch(`/v1/keys/${managementKeyHash}`, { name: 'b' }), 404);
    errorOf(await other.client.get(`/v1/keys/${managementKeyHash}`), 404);
    errorOf(await other.client.delete(`/v1/keys/${managementKeyHash}`), 404);
    expect(await stateOf(service)).toEqual(before);
  });
});
