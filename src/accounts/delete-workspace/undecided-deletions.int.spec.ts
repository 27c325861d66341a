import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../../test/harness/eventually.js';
import { ACCOUNT, openedAccount, workspaceCreated } from '../../../test/histories/accounts.js';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import { EventRegistry } from '../../event-log/event-registry.js';
import { SqliteEventLog } from '../../event-log/sqlite/sqlite-event-log.js';
import type { Origin } from '../../kernel/metadata.js';
import { account, accountStream, type AccountState, existing } from '../domain/account.js';
import { type AccountEvent, accountEvents } from '../domain/account.events.js';
import { decideDeletion, startDeletion } from '../domain/workspace-deletion.js';
import { UndecidedDeletions } from './undecided-deletions.js';

const STARTED = Date.parse('2026-03-01T12:00:00.000Z');
const AN_HOUR_MS = 3_600_000;
const workspaceId = 'workspace-1';
const deletionId = 'deletion-1';
const stream = accountStream(ACCOUNT);
const origin: Origin = {
  actor: { type: 'operator', id: 'test', user_id: null },
  requestId: null,
};

describe('whoever waits for a deletion that is undecided', () => {
  /** The time of day, of which other processes may have another one. */
  let clock: number;
  /** How much more time has passed in this process than it did. */
  let ahead: number;
  let log: SqliteEventLog;
  let runner: DecisionRunner;
  let waiting: Promise<AccountState>;

  beforeEach(async () => {
    clock = STARTED;
    ahead = 0;
    const passed = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => passed() + ahead);
    log = new SqliteEventLog(':memory:');
    const now = { now: () => new Date(clock) };
    runner = new DecisionRunner(log, new EventRegistry(accountEvents), now);
    await decide(() => [...openedAccount(), workspaceCreated(workspaceId)]);
    await decide((state) => startDeletion(state, workspaceId, deletionId));
  });

  afterEach(async () => {
    clock = STARTED + AN_HOUR_MS;
    await waiting;
    jest.restoreAllMocks();
    await log.close();
  });

  async function decide(decision: (state: AccountState) => AccountEvent[]): Promise<void> {
    await runner.run({ aggregate: account, stream, accountId: ACCOUNT, origin, decide: decision });
  }

  /** @param age of the deletion by the clock of this process. */
  function wait(age: number): void {
    clock = STARTED + age;
    const now = { now: () => new Date(clock) };
    waiting = new UndecidedDeletions(runner, now).decided(ACCOUNT, [workspaceId]);
  }

  /** Resolves when the deletion was looked at again, more than once. */
  async function looks(): Promise<void> {
    const load = jest.spyOn(runner, 'load');
    const before = load.mock.calls.length;
    await eventually('more looks', () => load.mock.calls.length > before + 2);
  }

  async function isCancelled(): Promise<boolean> {
    const last = (await log.readStream(stream)).at(-1);
    if (last?.type !== 'WorkspaceDeletionCancelled') return false;
    expect(last.metadata.actor).toMatchObject({ type: 'system' });
    return true;
  }

  it('is told what became of it', async () => {
    wait(9_900);
    await looks();
    await decide((state) => decideDeletion(state, { workspaceId, deletionId }, true));
    expect(existing(await waiting).workspaces.has(workspaceId)).toBe(false);
    expect(await isCancelled()).toBe(false);
  });

  it('lets one go on that is 9.9 s old, and cancels it when it is 10.1 s old', async () => {
    wait(9_900);
    await looks();
    expect(await isCancelled()).toBe(false);
    clock = STARTED + 10_100;
    await eventually('it is cancelled', isCancelled);
    const workspace = existing(await waiting).workspaces.get(workspaceId);
    expect(workspace).toMatchObject({ deletion: null });
  });

  it('waits 10 s, and no longer, where the time at which it began is still to come', async () => {
    wait(-AN_HOUR_MS);
    await looks();
    ahead = 9_000;
    await looks();
    expect(await isCancelled()).toBe(false);
    ahead = 10_000;
    await eventually('it is cancelled', isCancelled);
  });
});
