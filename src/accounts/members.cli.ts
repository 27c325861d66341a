import { Option } from 'commander';
import { listed } from '../command-line/listed.js';
import { printable } from '../command-line/printable.js';
import { type Program, required, requiredNewId } from '../command-line/program.js';
import { count } from '../command-line/values.js';
import { Unavailable, Unreadable } from '../kernel/errors.js';
import { AddMember } from './add-member/add-member.command.js';
import { directory } from './directory.cli.js';
import { ListWorkspaceMembers } from './list-workspace-members/list-workspace-members.query.js';
import type { KeysOfUser } from './published/keys-of-user.js';
import { ACCOUNT_OPTION, operatedAccount } from './published/operated-account.js';
import { RemoveMember } from './remove-member/remove-member.command.js';

/** Adds the commands `keyledger members …`. @param keys access to the API keys that members made. */
export function addMemberCommands(program: Program, keys: KeysOfUser): void {
  const members = program.group('members', 'Users who belong to an organization.');
  program.list<{ account: string; limit?: number }, { account_id: string; user_id: string }>(
    members,
    'list',
    'The members of an account, in the order in which they joined.',
    [
      ACCOUNT_OPTION,
      new Option('--limit <count>', 'how many at most; default: all').argParser(count),
    ],
    async (session, { account: accountId, limit }) => {
      const { defaultWorkspaceId } = await operatedAccount(session, accountId);
      await directory(session);
      return listed(async ({ after, limit: most }) => {
        // A member has no place in the list. The number of members before a page stands for the place.
        const offset = Number(after ?? 0);
        // The members of the default workspace are the members of the account.
        const page = { offset, limit: most };
        const query = new ListWorkspaceMembers(accountId, defaultWorkspaceId, page);
        const { userIds, total } = (await session.ask(query)).found;
        const end = offset + userIds.length;
        const rows = userIds.map((user_id) => ({ account_id: accountId, user_id }));
        return { rows, total, next: end < total ? String(end) : null };
      }, limit);
    },
    ['user_id'],
  );
  program.command<{ account: string; user: string }>(
    members,
    'add',
    'Make a user a member of an organization, and so of its default workspace.',
    [ACCOUNT_OPTION, requiredNewId('--user <id>', 'id of the user')],
    async (session, { account: accountId, user: userId }) => {
      await session.execute(new AddMember(accountId, userId, session.origin));
      return { account_id: accountId, user_id: userId };
    },
  );
  program.command<{ account: string; user: string; disableKeys?: true }>(
    members,
    'remove',
    'End a membership, with it those of workspaces and the management keys of the user.',
    [
      ACCOUNT_OPTION,
      required('--user <id>', 'id of the user'),
      new Option(
        '--disable-keys',
        'disable the API keys that the user made too; safe to run again',
      ),
    ],
    async (session, { account: accountId, user: userId, disableKeys = false }) => {
      // The membership ends first, because until then the user could make more keys.
      await session.execute(new RemoveMember(accountId, userId, session.origin, disableKeys));
      const disabled = disableKeys ? await keys.disableLive(session, accountId, userId) : 0;
      const live = disableKeys ? 0 : await countedLive(keys, session, accountId, userId);
      return {
        account_id: accountId,
        user_id: userId,
        live_api_keys: live,
        disabled_api_keys: disabled,
      };
    },
  );
}

/** Counts the live API keys of a removed member; null when the count is unavailable, because the removal is done. */
async function countedLive(
  keys: KeysOfUser,
  ...asked: Parameters<KeysOfUser['countLive']>
): Promise<number | null> {
  try {
    return await keys.countLive(...asked);
  } catch (error) {
    if (!(error instanceof Unavailable || error instanceof Unreadable)) throw error;
    process.stderr.write(`the number of live keys is unknown: ${printable(error.message)}\n`);
    return null;
  }
}
