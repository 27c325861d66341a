import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accountStream } from '../../src/accounts/domain/account.js';
import { WORKSPACE_KEYS, type WorkspaceKeys } from '../../src/accounts/published/workspace-keys.js';
import { EVENT_LOG, type EventLog } from '../../src/event-log/event-log.js';
import { Unavailable } from '../../src/kernel/errors.js';
import { keyDirectory } from '../../src/keys/key-directory/key-directory.projection.js';
import { Projections } from '../../src/projections/projections.js';
import { createKey, type CreatedKey } from '../harness/api-keys.js';
import { errorOf } from '../harness/error-of.js';
import { eventually } from '../harness/eventually.js';
import type { Answer } from '../harness/http-client.js';
import { runningApp, startApp, type TestAccount } from '../harness/running-app.js';
import { stateOf } from '../harness/service-state.js';
import { appendUnreadable } from '../harness/unreadable-event.js';
import {
  createWorkspace,
  deleteWorkspace,
  workspaceExists,
  type WorkspaceList,
} from '../harness/workspace-routes.js';

describe('deleting a workspace', () => {
  const service = runningApp();
  let account: TestAccount;
  let workspace: string;

  beforeEach(async () => {
    account = await service.openAccount();
    workspace = (await createWorkspace(account.client, { name: 'Team' })).id;
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  function remove(named = workspace): Promise<Answer> {
    return deleteWorkspace(account.client, named);
  }

  function create(): Promise<Answer<CreatedKey>> {
    return account.client.post('/v1/keys', { name: 'a', workspace_id: workspace });
  }

  function counting(): WorkspaceKeys {
    return service.app.get<WorkspaceKeys>(WORKSPACE_KEYS);
  }

  function exists(): Promise<boolean> {
    return workspaceExists(account.client, workspace);
  }

  it('leaves nothing of it: not by id, by slug, in a list, or to create keys in and move them to', async () => {
    await account.client.post(`/v1/workspaces/${workspace}/members/add`, {
      user_ids: [account.userId],
    });
    const { data } = await createKey(account.client);
    const deleted = await remove();
    expect(deleted).toMatchObject({ status: 200, body: { deleted: true } });
    for (const named of [workspace, 'team']) {
      errorOf(await account.client.get(`/v1/workspaces/${named}`), 404);
      errorOf(await account.client.get(`/v1/workspaces/${named}/members`), 404);
      errorOf(await account.client.patch(`/v1/workspaces/${named}`, { name: 'b' }), 404);
      errorOf(await remove(named), 404);
    }
    const { body } = await account.client.get<WorkspaceList>('/v1/workspaces');
    expect(body).toMatchObject({ data: [{ slug: 'default' }], total_count: 1 });
    expect(errorOf(await create(), 400).paths).toEqual(['workspace_id']);
    const move = { workspace_id: workspace };
    errorOf(await account.client.patch(`/v1/keys/${data.hash}`, move), 400);
    expect(await createWorkspace(account.client, { slug: 'team' })).toMatchObject({ slug: 'team' });
  });

  it('is refused for the default workspace, and nothing happens', async () => {
    const before = await stateOf(service);
    errorOf(await remove('default'), 403);
    errorOf(await remove(account.defaultWorkspaceId), 403);
    expect(await stateOf(service)).toEqual(before);
  });

  it('is refused while it holds keys, also disabled or expired ones, and works once they are elsewhere', async () => {
    const { data } = await createKey(account.client, {
      workspace_id: workspace,
      expires_at: '2001-01-01T00:00:00Z',
    });
    await account.client.patch(`/v1/keys/${data.hash}`, { disabled: true });
    const before = await stateOf(service);
    errorOf(await remove(), 409);
    expect(await stateOf(service)).toEqual(before);
    expect(await exists()).toBe(true);
    const home = { workspace_id: account.defaultWorkspaceId };
    expect(await account.client.patch(`/v1/keys/${data.hash}`, home)).toMatchObject({
      status: 200,
    });
    expect(await remove()).toMatchObject({ status: 200 });
  });

  it.each([1, 2])(
    'is 503 and changes nothing while the keys cannot be counted for time %i',
    async (time) => {
      const gone = new Unavailable('read store', new Error('gone'));
      const count = jest.spyOn(counting(), 'count');
      if (time === 2) count.mockResolvedValueOnce(0);
      count.mockRejectedValueOnce(gone);
      errorOf(await remove(), 503);
      expect(await exists()).toBe(true);
      expect(await create()).toMatchObject({ status: 201 });
    },
  );

  it('is 503 and changes nothing while the directory may be without some of its keys', async () => {
    const own = await startApp({ READ_YOUR_WRITES_TIMEOUT: '200ms' });
    try {
      const { id } = await createWorkspace(own.client, { name: 'Team' });
      await appendUnreadable(own.app, 'ApiKeyCreated');
      const directory = own.app.get(Projections).get(keyDirectory.name);
      await eventually('the directory is stuck', () => directory.state === 'stuck');
      await createKey(own.client, { workspace_id: id });
      errorOf(await own.client.send('DELETE', `/v1/workspaces/${id}`), 503);
      expect(await own.client.get(`/v1/workspaces/${id}`)).toMatchObject({ status: 200 });
    } finally {
      await own.stop();
    }
  });

  it('many times at once works, and each is told so or finds nothing', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove()));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([]);
    expect(await exists()).toBe(false);
  });

  it('that nobody finished is cancelled by the first who would wait for it', async () => {
    const log = service.app.get<EventLog>(EVENT_LOG);
    const stream = accountStream(account.accountId);
    const history = await log.readStream(stream);
    const last = history.at(-1);
    expect(last).toBeDefined();
    const metadata = { ...last?.metadata, occurred_at: '2026-01-01T00:00:00.000Z' };
    const data = { workspace_id: workspace, deletion_id: randomUUID() };
    const started = { id: randomUUID(), type: 'WorkspaceDeletionStarted', version: 1, data };
    await log.append(
      stream,
      [{ ...started, metadata: metadata as NonNullable<typeof last>['metadata'] }],
      history.length - 1,
    );
    expect(await create()).toMatchObject({ status: 201 });
    const after = await log.readStream(stream, history.length + 1);
    expect(after.map(({ type }) => type)).toEqual(['WorkspaceDeletionCancelled']);
    expect(after[0]?.metadata.actor).toMatchObject({ type: 'system' });
    errorOf(await remove(), 409);
  });

  it('that comes back after it was cancelled does not delete', async () => {
    const count = jest.spyOn(counting(), 'count').mockResolvedValueOnce(0);
    count.mockImplementationOnce(async () => {
      const gone = new Unavailable('read store', new Error('gone'));
      count.mockResolvedValueOnce(0).mockRejectedValueOnce(gone);
      errorOf(await remove(), 503);
      return 0;
    });
    errorOf(await remove(), 503);
    expect(await exists()).toBe(true);
  });

  it('is refused for a key that comes when it has begun, and the key stays', async () => {
    const counted = counting().count.bind(counting());
    const count = jest.spyOn(counting(), 'count').mockResolvedValueOnce(0);
    count.mockResolvedValueOnce(1).mockImplementation(counted);
    errorOf(await remove(), 409);
    expect(await exists()).toBe(true);
    expect(await create()).toMatchObject({ status: 201 });
    errorOf(await remove(), 409);
  });
});
