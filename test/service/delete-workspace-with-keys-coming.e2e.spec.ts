import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accountStream } from '../../src/features/accounts/domain/account.js';
import { KEY_COUNT, type KeyCount } from '../../src/features/accounts/published/key-count.port.js';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import type { KeyRecord } from '../../src/features/keys/key-record.js';
import {
  type CreatedKey,
  createKey,
  eventTypesOfKey,
  type OneKey,
} from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer, HttpClient } from '../support/harness/http-client.js';
import { createOrphanedKey } from '../support/harness/orphaned-keys.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import { createWorkspace, deleteWorkspace } from '../support/harness/workspace-routes.js';
import { makeWorkspace, restrict } from '../support/harness/workspaces.js';

interface KeyList {
  readonly data: readonly KeyRecord[];
  readonly total_count: number;
}

const EVERYWHERE = '/v1/keys?workspace_id=all';

describe('a key that comes into a workspace while that is deleted', () => {
  const service = runningApp();
  let account: TestAccount;
  let client: HttpClient;
  let workspace: string;

  beforeEach(async () => {
    account = await service.openAccount();
    ({ client } = account);
    workspace = await makeWorkspace(service, account, { members: [account.userId] });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Deletes the workspace after an event of a key was decided and before it is stored. */
  function deletedBeforeAKeyIsStored(): { readonly answer: () => Answer | undefined } {
    const log = service.app.get<EventLog>(MANAGEMENT.log);
    const append = log.append.bind(log);
    let deletion: Promise<Answer> | undefined;
    let answer: Answer | undefined;
    jest.spyOn(log, 'append').mockImplementation(async (stream, ...rest) => {
      if (stream.startsWith('key-') && !deletion) {
        deletion = deleteWorkspace(client, workspace);
        answer = await deletion;
      }
      return append(stream, ...rest);
    });
    return { answer: () => answer };
  }

  function update(hash: string, changes: object): Promise<Answer<OneKey>> {
    return client.patch<OneKey>(`/v1/keys/${hash}`, changes);
  }

  /** Expects that every route finds a key, and that the key counts as disabled. */
  async function expectOrphaned({ hash }: KeyRecord, key: string): Promise<void> {
    const { body } = await client.get<OneKey>(`/v1/keys/${hash}`);
    expect(body.data).toMatchObject({ hash, disabled: true });
    const listed = await client.get<KeyList>(EVERYWHERE);
    expect(listed.body.data.find((one) => one.hash === hash)).toEqual(body.data);
    const asking = errorOf(await client.as(key).get('/v1/key'), 401);
    expect(asking).toMatchObject({ reason: 'key-disabled', message: 'Key is disabled' });
  }

  it('is created all the same, and counts as disabled', async () => {
    const deletion = deletedBeforeAKeyIsStored();
    const body = { name: 'a', workspace_id: workspace };
    const created = await client.post<CreatedKey>('/v1/keys', body);
    expect(deletion.answer()).toMatchObject({ status: 200 });
    const record = { disabled: true, workspace_id: workspace, updated_at: null };
    expect(created).toMatchObject({ status: 201, body: { data: record } });
    await expectOrphaned(created.body.data, created.body.key);
    expect(await eventTypesOfKey(service, created.body.data.hash)).toEqual(['ApiKeyCreated']);
  });

  it('is moved all the same, with everything that was changed along with it', async () => {
    const { data, key } = await createKey(client, { limit: 5 });
    const deletion = deletedBeforeAKeyIsStored();
    const moved = await update(data.hash, { workspace_id: workspace, name: 'moved', limit: null });
    expect(deletion.answer()).toMatchObject({ status: 200 });
    const record = { workspace_id: workspace, name: 'moved', limit: null, disabled: true };
    expect(moved).toMatchObject({ status: 200, body: { data: record } });
    await expectOrphaned(data, key);
    const types = [
      'ApiKeyCreated',
      'ApiKeyMovedToWorkspace',
      'ApiKeyRenamed',
      'ApiKeyLimitChanged',
    ];
    expect(await eventTypesOfKey(service, data.hash)).toEqual(types);
  });

  it('leaves one event of the deletion, and a deletion that came too late none', async () => {
    deletedBeforeAKeyIsStored();
    await client.post('/v1/keys', { name: 'a', workspace_id: workspace });
    errorOf(await deleteWorkspace(client, workspace), 404);
    const log = service.app.get<EventLog>(MANAGEMENT.log);
    const types = (await log.readStream(accountStream(account.accountId))).events.map(
      ({ type }) => type,
    );
    expect(types.filter((type) => type.startsWith('WorkspaceDelet'))).toEqual(['WorkspaceDeleted']);
  });

  it('does not keep a deletion that was overtaken by another from saying 404', async () => {
    const keys = service.app.get<KeyCount>(KEY_COUNT);
    const count = keys.count.bind(keys);
    jest.spyOn(keys, 'count').mockImplementationOnce(async (...counted) => {
      const deletion = deletedBeforeAKeyIsStored();
      await client.post('/v1/keys', { name: 'a', workspace_id: workspace });
      expect(deletion.answer()).toMatchObject({ status: 200 });
      return count(...counted);
    });
    errorOf(await deleteWorkspace(client, workspace), 404);
  });

  it('is not enabled without a move in the same update: 409 with a reason of its own', async () => {
    const { data } = await createOrphanedKey(service, account);
    for (const disabled of [false, true]) {
      if (disabled) await update(data.hash, { disabled });
      const types = await eventTypesOfKey(service, data.hash);
      const refused = errorOf(await update(data.hash, { disabled: false, name: 'b' }), 409);
      expect(refused.reason).toBe('workspace-gone');
      expect(await eventTypesOfKey(service, data.hash)).toEqual(types);
    }
    for (const workspace_id of [data.workspace_id, '00000000-0000-4000-8000-00000000dead']) {
      const refused = errorOf(await update(data.hash, { disabled: false, workspace_id }), 400);
      expect(refused.reason).toBe('workspace-unknown');
    }
  });

  it('takes other changes, and can be deleted', async () => {
    const { data, key } = await createOrphanedKey(service, account);
    const changed = await update(data.hash, { name: 'b', limit: 3 });
    const record = { name: 'b', limit: 3, disabled: true };
    expect(changed).toMatchObject({ status: 200, body: { data: record } });
    await expectOrphaned(data, key);
    expect(await client.delete(`/v1/keys/${data.hash}`)).toMatchObject({ status: 200 });
    errorOf(await client.as(key).get('/v1/key'), 401);
    expect((await client.get<KeyList>(EVERYWHERE)).body).toEqual({ data: [], total_count: 0 });
  });

  it('has its own flag again once it is moved', async () => {
    const enabled = await createOrphanedKey(service, account);
    const disabled = await createOrphanedKey(service, account);
    await update(disabled.data.hash, { disabled: true });
    const both = await createOrphanedKey(service, account);
    await update(both.data.hash, { disabled: true });
    const { defaultWorkspaceId } = account;
    for (const [{ data, key }, changes, flag] of [
      [enabled, {}, false],
      [disabled, {}, true],
      [both, { disabled: false }, false],
    ] as const) {
      const moved = await update(data.hash, { workspace_id: defaultWorkspaceId, ...changes });
      expect(moved).toMatchObject({ status: 200, body: { data: { disabled: flag } } });
      expect(await client.get(`/v1/keys/${data.hash}`)).toMatchObject({
        body: { data: { disabled: flag, workspace_id: defaultWorkspaceId } },
      });
      expect(await client.as(key).get('/v1/key')).toMatchObject({ status: flag ? 401 : 200 });
    }
  });

  it('is listed and counted as its own flag says, beside keys of other workspaces', async () => {
    const orphaned = await createOrphanedKey(service, account);
    const disabled = await createOrphanedKey(service, account);
    await update(disabled.data.hash, { disabled: true });
    const here = await createKey(client);
    const there = await createKey(client, { workspace_id: workspace });
    const flags = async (path: string): Promise<Record<string, unknown>> => {
      const { body } = await client.get<KeyList>(path);
      const entries = body.data.map((key) => [key.hash, key.disabled] as const);
      return { total: body.total_count, ...Object.fromEntries(entries) };
    };
    const enabled = { [here.data.hash]: false, [there.data.hash]: false };
    const found = { [orphaned.data.hash]: true, ...enabled };
    expect(await flags(EVERYWHERE)).toEqual({ total: 3, ...found });
    const all = { total: 4, [disabled.data.hash]: true, ...found };
    expect(await flags(`${EVERYWHERE}&include_disabled=true`)).toEqual(all);
    errorOf(await client.get(`/v1/keys?workspace_id=${orphaned.data.workspace_id}`), 400);
  });

  it('keeps to the restrictions that its workspace had last', async () => {
    const { data } = await createOrphanedKey(service, account, ['eu-only']);
    const refused = errorOf(
      await update(data.hash, { workspace_id: account.defaultWorkspaceId }),
      403,
    );
    expect(refused.metadata).toEqual({ missing_restrictions: ['eu-only'] });
    await restrict(service, account, workspace, ['eu-only', 'zdr']);
    const moved = await update(data.hash, { workspace_id: workspace });
    expect(moved).toMatchObject({ status: 200, body: { data: { disabled: false } } });
  });

  it('is not freed of restrictions that it brings', async () => {
    await client.patch('/v1/workspaces/default', { restrictions: ['eu-only'] });
    await restrict(service, account, workspace, ['eu-only']);
    const unrestricted = (await createWorkspace(client, { name: 'Anywhere' })).id;
    const user_ids = [account.userId];
    await client.post(`/v1/workspaces/${unrestricted}/members/add`, { user_ids });
    const { data } = await createKey(client);
    const deletion = deletedBeforeAKeyIsStored();
    expect(await update(data.hash, { workspace_id: workspace })).toMatchObject({ status: 200 });
    expect(deletion.answer()).toMatchObject({ status: 200 });
    errorOf(await update(data.hash, { workspace_id: unrestricted }), 403);
    const home = await update(data.hash, { workspace_id: account.defaultWorkspaceId });
    expect(home).toMatchObject({ status: 200, body: { data: { disabled: false } } });
  });
});
