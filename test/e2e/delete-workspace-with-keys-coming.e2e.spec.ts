import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WORKSPACE_KEYS, type WorkspaceKeys } from '../../src/accounts/published/workspace-keys.js';
import { DecisionRunner } from '../../src/event-log/decision-runner.js';
import { EVENT_LOG, type EventLog } from '../../src/event-log/event-log.js';
import { key, keyStream, type KeyState } from '../../src/keys/domain/key.js';
import { keyEvents } from '../../src/keys/domain/key.events.js';
import { Keys } from '../../src/keys/keys.js';
import { createKey, type CreatedKey } from '../harness/api-keys.js';
import { errorOf } from '../harness/error-of.js';
import { eventually } from '../harness/eventually.js';
import type { Answer } from '../harness/http-client.js';
import { runningApp, type TestAccount } from '../harness/running-app.js';
import { createWorkspace, deleteWorkspace, workspaceExists } from '../harness/workspace-routes.js';

const ROUNDS = 40;

describe('deleting a workspace that keys come into', () => {
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

  function remove(): Promise<Answer> {
    return deleteWorkspace(account.client, workspace);
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

  /** Does something once, when an event of a key was decided and is not stored yet. */
  function beforeAKeyIsStored(work: () => Promise<void>): void {
    const log = service.app.get<EventLog>(EVENT_LOG);
    const append = log.append.bind(log);
    let isDone = false;
    jest.spyOn(log, 'append').mockImplementation(async (stream, ...rest) => {
      if (stream.startsWith('key-') && !isDone) {
        isDone = true;
        await work();
      }
      return append(stream, ...rest);
    });
  }

  async function letIn(id = workspace): Promise<void> {
    const user_ids = [account.userId];
    await account.client.post(`/v1/workspaces/${id}/members/add`, { user_ids });
  }

  /** As the log has it. */
  function stateOfKey(hash: string): Promise<KeyState> {
    return service.app.get(DecisionRunner).load(key, keyStream(hash));
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
    let deletion: Answer | undefined;
    beforeAKeyIsStored(async () => {
      deletion = await remove();
    });
    const refused = await create();
    expect(deletion).toMatchObject({ status: 200 });
    expect(errorOf(refused, 400).paths).toEqual(['workspace_id']);
    expect(await liveKeysInWorkspace()).toBe(0);
  });

  it('takes a move back in the same way, with everything that was changed along with it', async () => {
    await letIn();
    const { data } = await createKey(account.client, { limit: 5 });
    let deletion: Answer | undefined;
    beforeAKeyIsStored(async () => {
      deletion = await remove();
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

  it('does not free a key that was just moved to it of its restrictions', async () => {
    const euOnly = { restrictions: ['eu-only'] };
    await account.client.patch('/v1/workspaces/default', euOnly);
    await account.client.patch(`/v1/workspaces/${workspace}`, euOnly);
    const unrestricted = (await createWorkspace(account.client, { name: 'Anywhere' })).id;
    for (const id of [workspace, unrestricted]) await letIn(id);
    const { data } = await createKey(account.client);
    const move = (id: string): Promise<Answer> =>
      account.client.patch(`/v1/keys/${data.hash}`, { workspace_id: id });
    const changes = jest.spyOn(service.app.get(Keys), 'change');
    let between: Promise<Answer> | undefined;
    beforeAKeyIsStored(async () => {
      await remove();
      between = move(unrestricted);
      await eventually('the second move', () => changes.mock.calls.length === 2);
    });
    errorOf(await move(workspace), 400);
    errorOf((await between) ?? (await remove()), 403);
    expect(await stateOfKey(data.hash)).toMatchObject({
      workspace_id: account.defaultWorkspaceId,
    });
  });

  it('at the same time as keys are created in it and moved to it: it goes, or the keys stay', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      workspace = (await createWorkspace(account.client)).id;
      await letIn();
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
  }, 60_000);
});
