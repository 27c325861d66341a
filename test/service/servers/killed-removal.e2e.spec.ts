import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { AddMember } from '../../../src/features/accounts/accounts.commands.js';
import {
  ChangeWorkspaceMembers,
  CreateWorkspace,
} from '../../../src/features/accounts/workspaces.commands.js';
import { account, requireAccount } from '../../../src/features/accounts/domain/account.js';
import { MEMBERSHIPS_END_AT_ONCE } from '../../../src/features/accounts/domain/workspace.decisions.js';
import { DecisionRunner } from '../../../src/event-sourcing/decisions/decision-runner.js';
import { SimulatorProcess } from '../../support/backends/eventstoredb-simulator/simulator-process.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { keyledger } from '../../support/harness/command-line.js';
import { eventually } from '../../support/harness/eventually.js';
import {
  OPERATOR,
  startApp,
  type StartedApp,
  type TestAccount,
} from '../../support/harness/running-app.js';
import { MANAGEMENT } from '../../../src/event-sourcing/ledger.js';

const APPENDS = 3;
/** Workspaces whose memberships end in the given number of appends. */
const WORKSPACES = (APPENDS - 1) * MEMBERSHIPS_END_AT_ONCE + 10;
const FOREVER_MS = 600_000;
/** The time that the command line may take to start on a busy machine. */
const STORED_WITHIN_MS = 30_000;
const PREPARED_WITHIN_MS = 120_000;

describeOnMongoDb('the removal of a member of many workspaces', (store) => {
  let log: SimulatorProcess;
  let service: StartedApp;
  let settings: Readonly<Record<string, string>>;
  let team: TestAccount;
  let workspaceIds: readonly string[];

  const commands = (): CommandBus => service.app.get(CommandBus);

  beforeAll(async () => {
    log = await SimulatorProcess.start();
    settings = {
      EVENTSTOREDB_CONNECTION_STRING: log.connectionString,
      MONGODB_URI: store().freshUri(),
    };
    service = await startApp(settings);
    team = await service.openAccount();
    const ids: string[] = [];
    for (let index = 0; index < WORKSPACES; index += 1) {
      const wanted = { name: `w ${index}`, restrictions: [] };
      ids.push(
        (await commands().execute(new CreateWorkspace(team.accountId, wanted, OPERATOR))).id,
      );
    }
    workspaceIds = ids;
  }, PREPARED_WITHIN_MS);

  afterAll(async () => {
    await service.stop();
    await log.stop();
  });

  /** Whether a user is a member of the account, and of how many workspaces. */
  async function membershipsOf(user: string): Promise<{ ofAccount: boolean; workspaces: number }> {
    const runner = service.app.get<DecisionRunner>(MANAGEMENT.runner);
    const { members, workspaces } = requireAccount(await runner.load(account, team.accountId));
    const of = workspaces.filter((workspace) => workspace.members.has(user));
    return { ofAccount: members.has(user), workspaces: of.size };
  }

  function removalOf(user: string): string[] {
    return ['members', 'remove', '--account', team.accountId, '--user', user];
  }

  /**
   * Starts the removal, and kills its process when its first append is stored, before that is
   * answered.
   */
  async function removeAndDie(user: string): Promise<void> {
    const before = await membershipsOf(user);
    await log.inject({ on: 'append', times: 1, effect: 'delay', ms: FOREVER_MS });
    const env = { PATH: process.env.PATH, ...settings };
    const child: ChildProcess = spawn(process.execPath, ['dist/cli.js', ...removalOf(user)], {
      env,
    });
    const ended = once(child, 'exit');
    const isStored = async (): Promise<boolean> => {
      const now = await membershipsOf(user);
      return now.workspaces < before.workspaces || now.ofAccount !== before.ofAccount;
    };
    await eventually('the append is stored', isStored, STORED_WITHIN_MS);
    child.kill('SIGKILL');
    await ended;
    await log.heal();
  }

  it.each([1, 2, 3])(
    'that is killed after append %i has left workspaces alone, or all, and its repeat finishes it',
    async (killedAfter) => {
      const user = `bob-${killedAfter}`;
      await commands().execute(new AddMember(team.accountId, user, OPERATOR));
      for (const id of workspaceIds) {
        const body = { user_ids: [user] };
        await commands().execute(
          new ChangeWorkspaceMembers('add', team.accountId, id, body, OPERATOR),
        );
      }
      for (let append = 1; append <= killedAfter; append += 1) {
        await removeAndDie(user);
        const left = Math.max(0, WORKSPACES - append * MEMBERSHIPS_END_AT_ONCE);
        expect(await membershipsOf(user)).toEqual({
          ofAccount: append < APPENDS,
          workspaces: left,
        });
      }
      const repeated = await keyledger(settings, ...removalOf(user));
      // After the last append the user is no member any more, and the repeat says so.
      expect(repeated.code).toBe(killedAfter < APPENDS ? 0 : 1);
      expect(await membershipsOf(user)).toEqual({ ofAccount: false, workspaces: 0 });
    },
    PREPARED_WITHIN_MS,
  );
});
