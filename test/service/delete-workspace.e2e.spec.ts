import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accountStream } from '../../src/features/accounts/domain/account.js';
import { KEY_COUNT, type KeyCount } from '../../src/features/accounts/published/key-count.port.js';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { Unavailable } from '../../src/kernel/errors.js';
import { ReadModels } from '../../src/event-sourcing/projections/read-models.js';
import { createKey, type CreatedKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import type { Answer } from '../support/harness/http-client.js';
import { runningApp, startApp, type TestAccount } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { appendUnreadable } from '../support/harness/unreadable-event.js';
import {
  createWorkspace,
  deleteWorkspace,
  workspaceExists,
  type WorkspaceList,
} from '../support/harness/workspace-routes.js';

/** The events of an account with one workspace besides the default one. */
const OPENED = [
  'AccountCreated',
  'MemberAdded',
  'WorkspaceCreated',
  'ManagementKeyCreated',
  'WorkspaceCreated',
];
/** The count ends after 2 s. The rest is for a busy machine. */
const LATEST_ANSWER_MS = 4_000;

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

  function counting(): KeyCount {
    return service.app.get<KeyCount>(KEY_COUNT);
  }

  function exists(): Promise<boolean> {
    return workspaceExists(account.client, workspace);
  }

  async function eventTypesOfAccount(): Promise<string[]> {
    const log = service.app.get<EventLog>(MANAGEMENT.log);
    const events = (await log.readStream(accountStream(account.accountId))).events;
    return events.map(({ type }) => type);
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

  it('is 503 and changes nothing while the keys cannot be counted', async () => {
    const before = await stateOf(service);
    const gone = new Unavailable('read store', new Error('gone'));
    jest.spyOn(counting(), 'count').mockRejectedValueOnce(gone);
    errorOf(await remove(), 503);
    expect(await stateOf(service)).toEqual(before);
    expect(await exists()).toBe(true);
    expect(await create()).toMatchObject({ status: 201 });
  });

  it('is 503 after 2 s of waiting for the directory, and nobody else waits meanwhile', async () => {
    const own = await startApp({ READ_YOUR_WRITES_TIMEOUT: '200ms' });
    try {
      const { id } = await createWorkspace(own.client, { name: 'Team' });
      const { progress } = own.app.get<ReadModels>(MANAGEMENT.models);
      jest.spyOn(progress, 'waitFor').mockImplementation((_, ms) => delay(ms, false));
      const asked = performance.now();
      const timed = async (asking: Promise<unknown>): Promise<number> => {
        await asking;
        return performance.now() - asked;
      };
      const removal = own.client.send('DELETE', `/v1/workspaces/${id}`);
      const created = timed(createKey(own.client, { workspace_id: id }));
      const after = await timed(removal);
      errorOf(await removal, 503);
      expect(after).toBeGreaterThan(1_900);
      expect(after).toBeLessThan(LATEST_ANSWER_MS);
      expect(await created).toBeLessThan(after);
      await createKey(own.client, { workspace_id: id });
    } finally {
      await own.stop();
    }
  });

  it('is 503 and changes nothing while the directory may be without some of its keys', async () => {
    const own = await startApp({ READ_YOUR_WRITES_TIMEOUT: '200ms' });
    try {
      const { id } = await createWorkspace(own.client, { name: 'Team' });
      expect(await own.client.get(`/v1/workspaces/${id}`)).toMatchObject({ status: 200 });
      await appendUnreadable(own.app, 'ApiKeyCreated');
      const models = own.app.get<ReadModels>(MANAGEMENT.models);
      await eventually('the read models are stuck', () => models.state.phase === 'stuck');
      await createKey(own.client, { workspace_id: id });
      errorOf(await own.client.send('DELETE', `/v1/workspaces/${id}`), 503);
      expect(await own.client.get(`/v1/workspaces/${id}`)).toMatchObject({ status: 200 });
    } finally {
      await own.stop();
    }
  });

  it('many times at once deletes it once, and the others find nothing', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove()));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 404)]);
    expect(await eventTypesOfAccount()).toEqual([...OPENED, 'WorkspaceDeleted']);
  });
});
