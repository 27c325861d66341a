import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiDescription } from '../support/harness/api-description.js';
import {
  commandOf,
  createKey,
  eventsOfKey,
  eventTypesOfKey,
  type OneKey,
} from '../support/harness/api-keys.js';
import { auditPage } from '../support/harness/audit-events.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import { accountOfEach, runningApp, type TestAccount } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

const service = runningApp();

describe('updating a key', () => {
  const account = accountOfEach(service);

  function update(hash: string, body: unknown): ReturnType<typeof account.client.patch<OneKey>> {
    return account.client.patch<OneKey>(`/v1/keys/${hash}`, body);
  }

  it('applies several fields in one append, one event for each thing that changed', async () => {
    const { data } = await createKey(account.client, { limit: 1 });
    const changes = { name: 'b', limit: 2, limit_reset: 'daily', disabled: true };
    const answer = await update(data.hash, { ...changes, include_byok_in_limit: false });
    expect(answer).toMatchObject({ status: 200, body: { data: { ...changes, label: 'b' } } });
    const [, ...events] = await eventsOfKey(service, data.hash);
    expect(events.map((event) => event.type).sort()).toEqual([
      'ApiKeyDisabled',
      'ApiKeyLimitChanged',
      'ApiKeyLimitResetChanged',
      'ApiKeyRenamed',
    ]);
    expect(new Set(events.map(commandOf)).size).toBe(1);
  });

  it('with the values that the key has already writes nothing and leaves updated_at null', async () => {
    const { data } = await createKey(account.client, { limit: 0.1, limit_reset: 'daily' });
    const { name, disabled, limit, limit_reset, include_byok_in_limit, workspace_id } = data;
    const same = { name, disabled, limit, limit_reset, include_byok_in_limit, workspace_id };
    for (const [field, value] of Object.entries(same)) {
      const answer = await update(data.hash, { [field]: value });
      expect(answer).toMatchObject({ status: 200, body: { data } });
    }
    expect(await update(data.hash, same)).toMatchObject({ status: 200, body: { data } });
    expect(await eventTypesOfKey(service, data.hash)).toEqual(['ApiKeyCreated']);
  });

  it('with a value that the key has already leaves an earlier updated_at as it was', async () => {
    const { data } = await createKey(account.client);
    const first = await update(data.hash, { name: 'b' });
    const again = await update(data.hash, { name: 'b', disabled: false });
    expect(again.body).toEqual(first.body);
  });

  it.each([{}, { colour: 'red' }, { hash: 'x', label: 'y', expires_at: null, external: null }])(
    'refuses %j for having no field to update',
    async (body) => {
      const { data } = await createKey(account.client);
      const before = await stateOf(service);
      const { message, userId } = errorOf(await update(data.hash, body), 400);
      expect(message).toBe('No update fields provided');
      expect(userId).toBe(account.userId);
      expect(await stateOf(service)).toEqual(before);
    },
  );

  it('ignores unknown fields and those that only a creation takes', async () => {
    const { data } = await createKey(account.client);
    const answer = await update(
      data.hash,
      '{"name":"b","expires_at":5,"creator_user_id":"x","label":"z","__proto__":{"limit":3}}',
    );
    expect(answer.status).toBe(200);
    const { updated_at: _, ...record } = answer.body.data;
    expect({ ...record, updated_at: null }).toEqual({ ...data, name: 'b', label: 'b' });
  });

  it('names every offending field at once, and changes nothing', async () => {
    const { data } = await createKey(account.client);
    const before = await stateOf(service);
    const wrong = {
      name: '',
      disabled: 1,
      include_byok_in_limit: 'true',
      limit: '1',
      limit_reset: 1,
      workspace_id: null,
    };
    expectInvalid(await update(data.hash, wrong), account, ...Object.keys(wrong).sort());
    expect(await stateOf(service)).toEqual(before);
  });

  it.each([UNKNOWN_HASH, UNKNOWN_HASH.toUpperCase(), 'x', '%00', '..%2F', '%F0%9F%94%91'])(
    'answers 404 to %s, which names no key',
    async (hash) => {
      const { message, userId } = errorOf(await update(hash, { name: 'b' }), 404);
      expect({ message, userId }).toEqual({
        message: 'Resource not found',
        userId: account.userId,
      });
    },
  );

  it('answers for a key of another account exactly as for one that does not exist', async () => {
    const other = await service.openAccount();
    const foreign = await createKey(other.client);
    const before = await stateOf(service);
    const headers = { 'X-Request-Id': 'the-same' };
    for (const body of [{ name: 'b' }, { limit: null }, { workspace_id: 'x' }, {}, { name: 5 }]) {
      const [theirs, none] = await Promise.all(
        [foreign.data.hash, UNKNOWN_HASH].map((hash) =>
          account.client.patch(`/v1/keys/${hash}`, body, { headers }),
        ),
      );
      expect(theirs?.text).toBe(none?.text);
      expect(theirs?.status).toBe(none?.status);
      expect(theirs?.status).toBeGreaterThanOrEqual(400);
    }
    expect(await stateOf(service)).toEqual(before);
  });

  it('loses none of 64 updates of different fields and values at once', async () => {
    const { data } = await createKey(account.client);
    const numbers = Array.from({ length: 16 }, (_, index) => index + 1);
    const bodies = numbers.flatMap((n) => [
      { name: `name ${n}` },
      { limit: n },
      { limit_reset: n % 2 ? 'daily' : 'weekly' },
      { disabled: n % 2 === 1, include_byok_in_limit: n % 2 === 0 },
    ]);
    const answers = await Promise.all(bodies.map((body) => update(data.hash, body)));
    answers.forEach((answer, index) => {
      expect(answer).toMatchObject({ status: 200, body: { data: bodies[index] } });
    });

    const events = (await eventsOfKey(service, data.hash)).map(
      (event) => event as { type: string; data: Record<string, unknown> },
    );
    const renames = events.filter(({ type }) => type === 'ApiKeyRenamed');
    const limits = events.filter(({ type }) => type === 'ApiKeyLimitChanged');
    expect(new Set(renames.map((event) => event.data.name)).size).toBe(16);
    expect(new Set(limits.map((event) => event.data.limit)).size).toBe(16);
    // Each rename was decided on the state after the one before.
    const names = ['a key', ...renames.map((event) => event.data.name)];
    expect(renames.map((event) => event.data.previous_name)).toEqual(names.slice(0, -1));
    const amounts = [null, ...limits.map((event) => event.data.limit)];
    expect(limits.map((event) => event.data.previous_limit)).toEqual(amounts.slice(0, -1));
    const now = await update(data.hash, { name: String(names.at(-1)) });
    expect(now.body.data).toMatchObject({ name: names.at(-1), limit: amounts.at(-1) });
  });
});

type Fields = Readonly<Record<string, unknown>>;

/** A resource with an update, and for each field a value that a new resource does not have. */
interface Updatable {
  readonly shape: string;
  readonly creation: string;
  /** Fields of a creation that never change. */
  readonly fixed: readonly string[];
  /** Makes a resource. @returns its path. */
  readonly make: (account: TestAccount) => Promise<string>;
  readonly others: (account: TestAccount) => Promise<Fields>;
  /** Fields of the answer that change with other fields. */
  readonly derived?: Readonly<Record<string, readonly string[]>>;
}

describe('an update', () => {
  let description: ApiDescription;

  const UPDATABLE: Readonly<Record<string, Updatable>> = {
    'of a key': {
      shape: 'UpdateKeyRequest',
      creation: 'CreateKeyRequest',
      fixed: ['creator_user_id', 'expires_at', 'external'],
      make: async ({ client }) => `/v1/keys/${(await createKey(client)).data.hash}`,
      others: async (account) => ({
        disabled: true,
        include_byok_in_limit: true,
        limit: 12.5,
        limit_reset: 'weekly',
        name: 'another name',
        workspace_id: await makeWorkspace(service, account, { members: [account.userId] }),
      }),
      derived: { limit: ['limit_remaining'], name: ['label'] },
    },
    'of a workspace': {
      shape: 'UpdateWorkspaceRequest',
      creation: 'CreateWorkspaceRequest',
      fixed: [],
      make: async (account) => `/v1/workspaces/${await makeWorkspace(service, account)}`,
      others: async () => ({
        name: 'another name',
        slug: 'another-slug',
        description: 'another description',
        restrictions: ['another'],
      }),
    },
    'of an end user': {
      shape: 'UpdateEndUserRequest',
      creation: 'RegisterEndUserRequest',
      fixed: ['user'],
      make: async ({ client }) => {
        await client.post('/v1/end-users', { user: 'ada' });
        return '/v1/end-users/ada';
      },
      others: async () => ({ is_active: false }),
    },
  };

  beforeAll(async () => {
    description = (await service.client.get<ApiDescription>('/openapi.json')).body;
  });

  const fieldsOf = (shape: string): string[] =>
    Object.keys((description.components.schemas[shape] as { properties: object }).properties);

  it.each(Object.entries(UPDATABLE))(
    '%s has each field of a creation, but for those that never change',
    (_, { shape, creation, fixed }) => {
      const changeable = new Set(fieldsOf(shape));
      const unchangeable = fieldsOf(creation).filter((field) => !changeable.has(field));
      expect(unchangeable.sort()).toEqual([...fixed].sort());
    },
  );

  it.each(Object.entries(UPDATABLE))(
    '%s changes each field that the OpenAPI document has and no other, and the audit trail shows it',
    async (_, { shape, make, others, derived = {} }) => {
      const account = await service.openAccount();
      const { client } = account;
      const read = async (path: string): Promise<Fields> =>
        (await client.get<{ data: Fields }>(path)).body.data;
      const values = await others(account);
      expect(fieldsOf(shape).sort()).toEqual(Object.keys(values).sort());
      for (const [field, value] of Object.entries(values)) {
        const path = await make(account);
        const before = await read(path);
        const answer = await client.patch<{ data: Fields }>(path, { [field]: value });
        expect({ field, status: answer.status }).toEqual({ field, status: 200 });
        const after = await read(path);
        expect(answer.body.data).toEqual(after);
        expect(after[field]).toEqual(value);
        const differing = Object.keys(before).filter(
          (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
        );
        const expected = [field, 'updated_at', ...(derived[field] ?? [])];
        expect(differing.sort()).toEqual(expected.sort());
        const [newest] = (await auditPage(client, 'limit=1')).body.data;
        expect(newest?.changes).toEqual([{ field, before: before[field], after: value }]);
      }
    },
  );
});
