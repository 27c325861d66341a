import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accountStream } from '../../src/accounts/domain/account.js';
import { WORKSPACE_KEYS, type WorkspaceKeys } from '../../src/accounts/published/workspace-keys.js';
import { EVENT_LOG, type EventLog } from '../../src/event-log/event-log.js';
import { Unavailable } from '../../src/kernel/errors.js';
import { DecisionRunner } from '../../src/event-log/decision-runner.js';
import { key, keyStream, type KeyState } from '../../src/keys/domain/key.js';
import { keyEvents } from '../../src/keys/domain/key.events.js';
import { createKey, type CreatedKey } from '../harness/api-keys.js';
import { errorOf } from '../harness/error-of.js';
import type { Answer } from '../harness/http-client.js';
import { runningApp, type TestAccount } from '../harness/running-app.js';
import { stateOf } from '../harness/service-state.js';
import { createWorkspace, type WorkspaceList } from '../harness/workspace-routes.js';

const ROUNDS = 40;

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
    return account.client.send('DELETE', `/v1/workspaces/${named}`);
  }

  function create(): Promise<Answer<CreatedKey>> {
    return account.client.post('/v1/keys', { name: 'a', workspace_id: workspace });
  }

  function counting(): WorkspaceKeys {
    return service.app.get<WorkspaceKeys>(WORKSPACE_KEYS);
  }

  /** As the log has it. */
  function stateOfKey(hash: string): Promise<KeyState> {
    return service.app.get(DecisionRunner).load(key, keyStream(hash));
  }

  async function exists(): Promise<boolean> {
    const { status } = await account.client.get(`/v1/workspaces/${workspace}`);
    expect([200, 404]).toContain(status);
    return status === 200;
  }

  /** Every key that was ever made in the account, as the log has it now. */
  async function liveKeysInWorkspace(): Promise<number> {
    const log = service.app.get<EventLog>(EVENT_LOG);
    const hashes = new Set<string>();
    for await (const { events } of log.readAll('', { types: keyEvents.map(({ type }) => type) })) {
      for (const { data, metadata } of events) {
        if (metadata.account_id === account.accountId) hashes.add((data as { hash: string }).hash);
      }
    }
    const states = await Promise.all([...hashes].map(stateOfKey));
    return states.filter(
      (state) => state !== null && state !== 'deleted' && state.workspace_id === workspace,
    ).length;
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

  it('many times at once works, and each is told so or finds nothing', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove()));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([]);
    expect(await exists()).toBe(false);
  });

  it('makes a key wait that comes while it is undecided', async () => {
    const counted = counting().count.bind(counting());
    let creation: Promise<Answer> | undefined;
    const count = jest.spyOn(counting(), 'count').mockImplementationOnce(counted);
    count.mockImplementationOnce(async (id) => {
      creation = create();
      return counted(id);
    });
    expect(await remove()).toMatchObject({ status: 200 });
    errorOf((await creation) ?? (await remove()), 400);
    expect(await liveKeysInWorkspace()).toBe(0);
  });

  it('takes a key back that was decided before it and stored after the keys were counted', async () => {
    const log = service.app.get<EventLog>(EVENT_LOG);
    const append = log.append.bind(log);
    let deletion: Answer | undefined;
    jest.spyOn(log, 'append').mockImplementation(async (stream, ...rest) => {
      if (stream.startsWith('key-') && !deletion) deletion = await remove();
      return append(stream, ...rest);
    });
    const refused = await create();
    expect(deletion).toMatchObject({ status: 200 });
    expect(errorOf(refused, 400).paths).toEqual(['workspace_id']);
    expect(await liveKeysInWorkspace()).toBe(0);
  });

  it('takes a move back in the same way, with everything that was changed along with it', async () => {
    await account.client.post(`/v1/workspaces/${workspace}/members/add`, {
      user_ids: [account.userId],
    });
    const { data } = await createKey(account.client, { limit: 5 });
    const log = service.app.get<EventLog>(EVENT_LOG);
    const append = log.append.bind(log);
    let deletion: Answer | undefined;
    jest.spyOn(log, 'append').mockImplementation(async (stream, ...rest) => {
      if (stream.startsWith('key-') && !deletion) deletion = await remove();
      return append(stream, ...rest);
    });
    const changes = { workspace_id: workspace, name: 'moved', limit: null, disabled: true };
    errorOf(await account.client.patch(`/v1/keys/${data.hash}`, changes), 400);
    expect(deletion).toMatchObject({ status: 200 });
    expect(await stateOfKey(data.hash)).toMatchObject({
      workspace_id: account.defaultWorkspaceId,
      name: data.name,
      limit: 5,
      disabled: false,
    });
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

  it('at the same time as keys are created in it and moved to it: it goes, or the keys stay', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      workspace = (await createWorkspace(account.client)).id;
      await account.client.post(`/v1/workspaces/${workspace}/members/add`, {
        user_ids: [account.userId],
      });
      const { data } = await createKey(account.client);
      const move = { workspace_id: workspace, name: 'moved' };
      const calls = [
        () => create(),
        () => remove(),
        () => account.client.patch(`/v1/keys/${data.hash}`, move),
      ];
      const order = [0, 1, 2].map((index) => (index + round) % 3);
      const answers: Answer[] = [];
      await Promise.all(
        order.map(async (index) => {
          const answer = await calls[index]?.();
          if (answer) answers[index] = answer;
        }),
      );
      const [created, removed, moved] = answers;
      const there = await exists();
      expect(removed?.status).toBe(there ? 409 : 200);
      const live = Number(created?.status === 201) + Number(moved?.status === 200);
      expect({ there, live }).toEqual({ there, live: there ? live : 0 });
      expect(await liveKeysInWorkspace()).toBe(live);
      for (const [answer, done] of [
        [created, 201],
        [moved, 200],
      ] as const) {
        if (answer?.status !== done && answer)
          expect(errorOf(answer, 400).paths).toEqual(['workspace_id']);
      }
      const settled = await stateOfKey(data.hash);
      expect(settled).toMatchObject(
        moved?.status === 200
          ? { workspace_id: workspace, name: 'moved' }
          : { workspace_id: account.defaultWorkspaceId, name: data.name },
      );
    }
  });
});
