import { Option } from 'commander';
import type { OperatorSession } from '../../edge/command-line/operator-session.js';
import { type Program, repeatable, required } from '../../edge/command-line/program.js';
import { Refusal } from '../../kernel/errors.js';
import {
  AddWorkspaceMembers,
  CreateWorkspace,
  RemoveWorkspaceMembers,
  UpdateWorkspace,
} from './workspaces.commands.js';
import { ALL } from './account-directory/account-directory.js';
import { ACCOUNT_OPTION, accountOf, directoryWith } from './account-options.js';
import type { WorkspaceRecord } from './domain/workspace.js';
import { NAME, RESTRICTION, RESTRICTIONS } from './workspace.fields.js';

const workspace = required('--workspace <id>', 'id of the workspace');
const user = required('--user <id>', 'id of the user');

export function addWorkspaceCommands(program: Program): void {
  const workspaces = program.group('workspaces', 'Where the keys of an account are kept apart.');
  program.command<{ account: string; name: string; restriction?: string[] }>(
    workspaces,
    'create',
    'Add a workspace without members to an account.',
    [
      ACCOUNT_OPTION,
      required('--name <name>', 'name of the workspace', NAME.max),
      restrictions('such as eu-only; may be repeated'),
    ],
    async (session, { account: accountId, name, restriction = [] }) => {
      const command = new CreateWorkspace(
        accountId,
        { name, restrictions: restriction },
        session.origin,
      );
      return printed(accountId, await session.execute(command));
    },
    { uses: ['QUOTA_WORKSPACES'] },
  );
  program.command<{ account: string }>(
    workspaces,
    'list',
    'The workspaces of an account, oldest first.',
    [ACCOUNT_OPTION],
    async (session, { account: accountId }) => {
      const accounts = await directoryWith(session, accountId);
      const { found } = await accounts.workspaces(accountId, ALL);
      return { data: found.documents.map((listed) => printed(accountId, listed)) };
    },
  );
  program.command<{ workspace: string; restriction: string[] }>(
    workspaces,
    'restrict',
    'Set the whole set of restrictions of a workspace.',
    [workspace, restrictions('may be repeated (required)').makeOptionMandatory()],
    async (session, { workspace: workspaceId, restriction }) => {
      const accountId = await accountOfWorkspace(session, workspaceId);
      const changes = { restrictions: restriction };
      const command = new UpdateWorkspace(accountId, workspaceId, changes, session.origin);
      return printed(accountId, await session.execute(command));
    },
  );
  addWorkspaceMemberCommands(
    program,
    program.group('members', 'Who may have keys in a workspace.', workspaces),
  );
}

function addWorkspaceMemberCommands(program: Program, members: ReturnType<Program['group']>): void {
  program.command<{ workspace: string; user: string }>(
    members,
    'add',
    'Let a member of the account have keys in a workspace.',
    [workspace, user],
    async (session, { workspace: workspaceId, user: userId }) => {
      const accountId = await accountOfWorkspace(session, workspaceId);
      const command = new AddWorkspaceMembers(
        accountId,
        workspaceId,
        { user_ids: [userId] },
        session.origin,
      );
      const added = await session.execute(command);
      if (added.length === 0) throw new Refusal('workspace-member-already-added');
      return { workspace_id: workspaceId, user_id: userId };
    },
    { uses: ['QUOTA_WORKSPACE_MEMBERS'] },
  );
  program.command<{ workspace: string; user: string }>(
    members,
    'remove',
    'End a membership of a workspace; keys that are in it stay.',
    [workspace, user],
    async (session, { workspace: workspaceId, user: userId }) => {
      const accountId = await accountOfWorkspace(session, workspaceId);
      const command = new RemoveWorkspaceMembers(
        accountId,
        workspaceId,
        { user_ids: [userId] },
        session.origin,
      );
      const removed = await session.execute(command);
      if (removed.length === 0) throw new Refusal('workspace-member-unknown');
      return { workspace_id: workspaceId, user_id: userId };
    },
  );
}

function restrictions(description: string): Option {
  return repeatable('--restriction <restriction...>', description, {
    most: RESTRICTIONS.max,
    max: RESTRICTION.max,
  });
}

function accountOfWorkspace(session: OperatorSession, workspaceId: string): Promise<string> {
  return accountOf(session, (accounts) => accounts.workspace(workspaceId));
}

function printed(
  accountId: string,
  { id, name, restrictions }: WorkspaceRecord,
): Readonly<Record<string, unknown>> {
  return { workspace_id: id, account_id: accountId, name, restrictions };
}
