import { CommandBus } from '@nestjs/cqrs';
import { describe, expect, it } from '@jest/globals';
import { AddMember, RemoveMember } from '../../src/features/accounts/accounts.commands.js';
import {
  AddWorkspaceMembers,
  CreateWorkspace,
} from '../../src/features/accounts/workspaces.commands.js';
import { account, accountStream, existing } from '../../src/features/accounts/domain/account.js';
import { MEMBERSHIPS_END_AT_ONCE } from '../../src/features/accounts/domain/workspace.decisions.js';
import { DecisionRunner } from '../../src/event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../src/kernel/metadata.js';
import { errorOf } from '../support/harness/error-of.js';
import { OPERATOR, runningApp } from '../support/harness/running-app.js';
import { createWorkspace } from '../support/harness/workspace-routes.js';

/** More members than one append of EventStoreDB holds. */
const MANY = 2 * MEMBERSHIPS_END_AT_ONCE;
/** JSON writes such a character with six, which is the most for any id. */
const ID_LENGTH = 512;
/** The number of such ids that one body holds. */
const JOIN_AT_ONCE = 30;

function longId(name: string): string {
  return '\u0001'.repeat(ID_LENGTH - name.length) + name;
}

describe('memberships, however many, with ids as long as they may be', () => {
  const service = runningApp();

  it('end with their workspace', async () => {
    const { accountId, client } = await service.openAccount('organization', longId('owner'));
    const { id } = await createWorkspace(client, { name: 'Team' });
    const commands = service.app.get(CommandBus);
    const users = Array.from({ length: MANY }, (_, index) => longId(String(index)));
    for (const user of users) await commands.execute(new AddMember(accountId, user, OPERATOR));
    for (let from = 0; from < users.length; from += JOIN_AT_ONCE) {
      const user_ids = users.slice(from, from + JOIN_AT_ONCE);
      const joined = await client.post(`/v1/workspaces/${id}/members/add`, { user_ids });
      expect(joined).toMatchObject({ status: 200 });
    }
    const headers = { 'X-Request-Id': '"'.repeat(128) };
    const deleted = await client.send('DELETE', `/v1/workspaces/${id}`, { headers });
    expect(deleted).toMatchObject({ status: 200, body: { deleted: true } });
    // The log decides, so a second deletion is 404 at once, however far a read model is behind.
    errorOf(await client.send('DELETE', `/v1/workspaces/${id}`), 404);
  });

  it('end with the member', async () => {
    const { accountId } = await service.openAccount();
    const user = longId('bob');
    const longest: Origin = { ...OPERATOR, actor: { ...OPERATOR.actor, id: longId('operator') } };
    const commands = service.app.get(CommandBus);
    await commands.execute(new AddMember(accountId, user, OPERATOR));
    for (let index = 0; index < MANY; index += 1) {
      const wanted = { name: `w ${index}`, restrictions: [] };
      const { id } = await commands.execute(new CreateWorkspace(accountId, wanted, OPERATOR));
      await commands.execute(
        new AddWorkspaceMembers(accountId, id, { user_ids: [user] }, OPERATOR),
      );
    }
    await commands.execute(new RemoveMember(accountId, user, longest));
    const runner = service.app.get(DecisionRunner);
    const state = await runner.load(account, accountStream(accountId));
    const { members, workspaces } = existing(state);
    expect(members.has(user)).toBe(false);
    expect(workspaces.filter((workspace) => workspace.members.has(user)).size).toBe(0);
  });
});
