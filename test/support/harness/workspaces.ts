import { CommandBus } from '@nestjs/cqrs';
import { AddMember } from '../../../src/features/accounts/accounts.commands.js';
import {
  ChangeWorkspaceMembers,
  CreateWorkspace,
  UpdateWorkspace,
} from '../../../src/features/accounts/workspaces.commands.js';
import { OPERATOR, type RunningApp } from './running-app.js';

/**
 * Makes a workspace with members. Members other than the owner become members of the account first.
 */
export async function makeWorkspace(
  { app }: RunningApp,
  account: { readonly accountId: string; readonly userId: string },
  {
    restrictions = [],
    members = [],
  }: { readonly restrictions?: readonly string[]; readonly members?: readonly string[] } = {},
): Promise<string> {
  const commands = app.get(CommandBus);
  const { accountId, userId: owner } = account;
  const create = new CreateWorkspace(accountId, { name: 'A workspace', restrictions }, OPERATOR);
  const { id: workspaceId } = await commands.execute(create);
  for (const member of members) {
    if (member !== owner) await commands.execute(new AddMember(accountId, member, OPERATOR));
    await commands.execute(
      new ChangeWorkspaceMembers('add', accountId, workspaceId, { user_ids: [member] }, OPERATOR),
    );
  }
  return workspaceId;
}

/** Sets the restrictions of a workspace. */
export async function restrict(
  { app }: RunningApp,
  { accountId }: { readonly accountId: string },
  workspaceId: string,
  restrictions: readonly string[],
): Promise<void> {
  const command = new UpdateWorkspace(accountId, workspaceId, { restrictions }, OPERATOR);
  await app.get(CommandBus).execute(command);
}
