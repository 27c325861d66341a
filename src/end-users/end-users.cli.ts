import { Option } from 'commander';
import { ACCOUNT_OPTION, operatedAccount } from '../accounts/published/operated-account.js';
import { listed } from '../command-line/listed.js';
import type { OperatorSession } from '../command-line/operator-session.js';
import { type Program, requiredNewId } from '../command-line/program.js';
import { count, trackingString } from '../command-line/values.js';
import { notFound } from '../kernel/errors.js';
import { Maintenance } from '../projections/maintenance.js';
import { endUserDirectory } from './end-user-directory/end-user-directory.projection.js';
import { type EndUserRecord, presentEndUser } from './end-user-record.js';
import { organizationOf } from './end-user-routes.js';
import { ListEndUsers } from './list-end-users/list-end-users.query.js';
import { ReadEndUser } from './read-end-user/read-end-user.query.js';
import { RegisterEndUser } from './register-end-user/register-end-user.command.js';

interface OneEndUser {
  readonly account: string;
  readonly user: string;
}

interface ListOptions {
  readonly account: string;
  readonly user?: string;
  readonly includeInactive?: true;
  readonly limit?: number;
}

type PrintedEndUser = { readonly account_id: string } & EndUserRecord;

const ONE_END_USER = [ACCOUNT_OPTION, requiredNewId('--user <user>', 'the tracking string')];

/** Adds the commands `keyledger end-users …` (docs/api.md 9.8). */
export function addEndUserCommands(program: Program): void {
  const endUsers = program.group('end-users', 'End users that organizations have registered.');
  program.list<ListOptions, PrintedEndUser>(
    endUsers,
    'list',
    'The end users of an organization, in order of registration.',
    [
      ACCOUNT_OPTION,
      new Option('--user <user>', 'only this one').argParser(trackingString),
      new Option('--include-inactive', 'inactive ones too'),
      new Option('--limit <count>', 'how many at most; default: all').argParser(count),
    ],
    async (session, { account, user, includeInactive = false, limit }) => {
      const organizationId = await upToDateOrganization(session, account);
      return listed(async (page) => {
        const query = new ListEndUsers(organizationId, { user, includeInactive, ...page });
        const { endUsers: found, total, next } = await session.ask(query);
        return { rows: found.map((endUser) => printed(organizationId, endUser)), total, next };
      }, limit);
    },
    ['user', 'is_active', 'created_at', 'updated_at'],
  );
  program.command<OneEndUser, PrintedEndUser & Record<string, unknown>>(
    endUsers,
    'read',
    'One end user, active or not.',
    ONE_END_USER,
    async (session, { account, user }) => {
      const organizationId = await upToDateOrganization(session, account);
      const { endUser } = await session.ask(new ReadEndUser(organizationId, user));
      if (!endUser) throw notFound();
      return printed(organizationId, endUser);
    },
    { purpose: 'examines' },
  );
  program.command<OneEndUser, PrintedEndUser & Record<string, unknown>>(
    endUsers,
    'register',
    'Register an end user with an organization.',
    ONE_END_USER,
    async (session, { account, user }) => {
      const organizationId = await organization(session, account);
      const command = new RegisterEndUser(organizationId, { user }, session.origin);
      return printed(organizationId, await session.execute(command));
    },
  );
}

/** @throws Refusal when there is no such account, or the account is an individual. */
async function organization(session: OperatorSession, accountId: string): Promise<string> {
  const { kind: accountKind } = await operatedAccount(session, accountId);
  return organizationOf({ accountKind, accountId });
}

async function upToDateOrganization(session: OperatorSession, accountId: string): Promise<string> {
  const organizationId = await organization(session, accountId);
  await session.get(Maintenance).catchUp(endUserDirectory.name);
  return organizationId;
}

function printed(
  account_id: string,
  endUser: Parameters<typeof presentEndUser>[0],
): PrintedEndUser {
  return { account_id, ...presentEndUser(endUser) };
}
