import { Option } from 'commander';
import type { OperatorSession } from '../../edge/command-line/operator-session.js';
import { repeatable, required } from '../../edge/command-line/option-values.js';
import type { Program } from '../../edge/command-line/program.js';
import { Refusal } from '../../kernel/errors.js';
import { ChangeWorkspaceMembers, CreateWorkspace, UpdateWorkspace } from './workspaces.commands.js';
import { ALL } from './account-directory/account-directory.js';
import { ACCOUNT_OPTION, findAccountId, directoryWith } from './account-options.js';
import type { WorkspaceRecord } from './domain/workspace.js';
import { WORKSPACE_NAME, RESTRICTION, RESTRICTIONS } from './workspace.fields.js';

const workspace = required('--workspace <id>', 'id of the workspace');
const user = required('--user <id>', 'id of the user');

export function addWorkspaceCommands(program: Program): void {
  const workspaces = program.group(
    'workspaces',
    'Create, list and restrict workspaces: sets of API keys with members.',
  );
  program.command(workspaces, {
    name: 'create',
    description: 'Create a workspace in an account. The new workspace does not have members.',
    options: [
      ACCOUNT_OPTION,
      required('--name <name>', 'name of the workspace', WORKSPACE_NAME.max),
      restrictions('restriction of the workspace, such as eu-only; may be repeated'),
    ],
    uses: ['QUOTA_WORKSPACES'],
    async action(session, options: { account: string; name: string; restriction?: string[] }) {
      const { account, name, restriction = [] } = options;
      const wanted = { name, restrictions: restriction };
      const command = new CreateWorkspace(account, wanted, session.origin);
      return shownWorkspace(account, await session.execute(command));
    },
  });
  program.command(workspaces, {
    name: 'list',
    description: 'List the workspaces of an account, oldest first.',
    options: [ACCOUNT_OPTION],
    async action(session, { account }: { account: string }) {
      const accounts = await directoryWith(session, account);
      const { found } = await accounts.workspaces(account, ALL);
      return { data: found.documents.map((listed) => shownWorkspace(account, listed)) };
    },
  });
  program.command(workspaces, {
    name: 'restrict',
    description: 'Replace all restrictions of a workspace with the given ones.',
    options: [
      workspace,
      restrictions('new restriction; may be repeated (required)').makeOptionMandatory(),
    ],
    async action(session, options: { workspace: string; restriction: string[] }) {
      const accountId = await accountOfWorkspace(session, options.workspace);
      const changes = { restrictions: options.restriction };
      const command = new UpdateWorkspace(accountId, options.workspace, changes, session.origin);
      return shownWorkspace(accountId, await session.execute(command));
    },
  });
  addWorkspaceMemberCommands(
    program,
    program.group(
      'members',
      'Add and remove the members of a workspace: users who may have keys in it.',
      workspaces,
    ),
  );
}

interface Membership {
  readonly workspace: string;
  readonly user: string;
}

function addWorkspaceMemberCommands(program: Program, members: ReturnType<Program['group']>): void {
  program.command(members, {
    name: 'add',
    description: 'Add a member of the account to a workspace.',
    options: [workspace, user],
    uses: ['QUOTA_WORKSPACE_MEMBERS'],
    async action(session, { workspace: id, user: userId }: Membership) {
      const accountId = await accountOfWorkspace(session, id);
      const users = { user_ids: [userId] };
      const command = new ChangeWorkspaceMembers('add', accountId, id, users, session.origin);
      const added = await session.execute(command);
      if (added.length === 0) throw new Refusal('workspace-member-already-added');
      return { workspace_id: id, user_id: userId };
    },
  });
  program.command(members, {
    name: 'remove',
    description: 'Remove a user from a workspace. The keys of the user stay in the workspace.',
    options: [workspace, user],
    async action(session, { workspace: id, user: userId }: Membership) {
      const accountId = await accountOfWorkspace(session, id);
      const users = { user_ids: [userId] };
      const command = new ChangeWorkspaceMembers('remove', accountId, id, users, session.origin);
      const removed = await session.execute(command);
      if (removed.length === 0) throw new Refusal('workspace-member-unknown');
      return { workspace_id: id, user_id: userId };
    },
  });
}

function restrictions(description: string): Option {
  return repeatable('--restriction <restriction...>', description, {
    most: RESTRICTIONS.max,
    max: RESTRICTION.max,
  });
}

function accountOfWorkspace(session: OperatorSession, workspaceId: string): Promise<string> {
  return findAccountId(session, (accounts) => accounts.workspace(workspaceId));
}

function shownWorkspace(
  accountId: string,
  { id, name, restrictions }: WorkspaceRecord,
): Readonly<Record<string, unknown>> {
  return { workspace_id: id, account_id: accountId, name, restrictions };
}
