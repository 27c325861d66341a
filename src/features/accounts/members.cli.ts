import { type Program, required, requiredNewId } from '../../edge/command-line/program.js';
import { AddMember } from './add-member/add-member.command.js';
import { ACCOUNT_OPTION } from './directory.cli.js';
import { RemoveMember } from './remove-member/remove-member.command.js';

interface Membership {
  readonly account: string;
  readonly user: string;
}

/** Adds the commands `keyledger members …`. */
export function addMemberCommands(program: Program): void {
  const members = program.group('members', 'Users who belong to an organization.');
  program.command<Membership>(
    members,
    'add',
    'Make a user a member of an organization, and so of its default workspace.',
    [ACCOUNT_OPTION, requiredNewId('--user <id>', 'id of the user')],
    async (session, { account: accountId, user: userId }) => {
      await session.execute(new AddMember(accountId, userId, session.origin));
      return { account_id: accountId, user_id: userId };
    },
    { uses: ['QUOTA_MEMBERS'] },
  );
  program.command<Membership>(
    members,
    'remove',
    'End a membership, with it those of workspaces and the management keys of the user.',
    [ACCOUNT_OPTION, required('--user <id>', 'id of the user')],
    async (session, { account: accountId, user: userId }) => {
      await session.execute(new RemoveMember(accountId, userId, session.origin));
      return { account_id: accountId, user_id: userId };
    },
  );
}
