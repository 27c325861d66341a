import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiDescription } from '../support/harness/api-description.js';
import { createKey } from '../support/harness/api-keys.js';
import { auditPage } from '../support/harness/audit-events.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

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
  const service = runningApp();
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
