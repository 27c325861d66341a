import { CommandBus } from '@nestjs/cqrs';
import { describe, expect, it } from '@jest/globals';
import { AddMember } from '../../src/accounts/add-member/add-member.command.js';
import { MEMBERS_LEAVE_AT_ONCE } from '../../src/accounts/domain/workspace-deletion.js';
import { errorOf } from '../harness/error-of.js';
import { OPERATOR, runningApp } from '../harness/running-app.js';
import { createWorkspace } from '../harness/workspace-routes.js';

/** Characters that JSON writes with six: no id takes more. */
const ID_LENGTH = 512;
/** As many such ids as one body holds. */
const JOIN_AT_ONCE = 30;

function longId(name: string): string {
  return '\u0001'.repeat(ID_LENGTH - name.length) + name;
}

describe('deleting a workspace', () => {
  const service = runningApp();

  it('ends its memberships, however many, with ids as long as they may be', async () => {
    const { accountId, client } = await service.openAccount('organization', longId('owner'));
    const { id } = await createWorkspace(client, { name: 'Team' });
    const commands = service.app.get(CommandBus);
    const users = Array.from({ length: MEMBERS_LEAVE_AT_ONCE + 20 }, (_, index) =>
      longId(String(index)),
    );
    for (const user of users) await commands.execute(new AddMember(accountId, user, OPERATOR));
    for (let from = 0; from < users.length; from += JOIN_AT_ONCE) {
      const user_ids = users.slice(from, from + JOIN_AT_ONCE);
      const joined = await client.post(`/v1/workspaces/${id}/members/add`, { user_ids });
      expect(joined).toMatchObject({ status: 200 });
    }
    const headers = { 'X-Request-Id': '"'.repeat(128) };
    const deleted = await client.send('DELETE', `/v1/workspaces/${id}`, { headers });
    expect(deleted).toMatchObject({ status: 200, body: { deleted: true } });
    // Which the log says, however far behind a read model is.
    errorOf(await client.send('DELETE', `/v1/workspaces/${id}`), 404);
  });
});
