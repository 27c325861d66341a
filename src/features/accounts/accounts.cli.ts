import { Option } from 'commander';
import type { OperatorSession } from '../../edge/command-line/operator-session.js';
import {
  optional,
  parseTime,
  required,
  requiredNewId,
} from '../../edge/command-line/option-values.js';
import type { Program } from '../../edge/command-line/program.js';
import { ACCOUNT_KINDS, type AccountKind } from '../../kernel/account-kind.js';
import { notFound, Refusal } from '../../kernel/errors.js';
import { type Role, ROLES } from '../../kernel/role.js';
import { hashKeyString, mintKeyString } from '../../kernel/key-string.js';
import { AccountDirectory, ALL } from './account-directory/account-directory.js';
import { ACCOUNT_OPTION, findAccountId, directoryWith } from './account-options.js';
import { AccountFacts } from './published/account-facts.js';
import { AddMember, CreateAccount, RemoveMember } from './accounts.commands.js';
import { CreateManagementKey, RevokeManagementKey } from './management-keys.commands.js';

export function addAccountCommands(program: Program): void {
  const accounts = program.group(
    'accounts',
    'Create and list accounts: organizations and individuals.',
  );
  program.command(accounts, {
    name: 'create',
    description: 'Create an account with a default workspace, an owner and a management key.',
    options: [
      required('--name <name>', 'name of the account'),
      new Option('--kind <kind>', 'kind of the account')
        .choices(ACCOUNT_KINDS)
        .default('organization'),
      requiredNewId('--owner <id>', 'user id of the owner'),
    ],
    mayCreateLog: true,
    async action(
      session,
      { name, kind, owner }: { name: string; kind: AccountKind; owner: string },
    ) {
      const managementKey = mintKeyString('mk-v1-');
      const managementKeyHash = hashKeyString(managementKey);
      const wanted = { kind, name, owner_user_id: owner, management_key_hash: managementKeyHash };
      const created = await session.execute(new CreateAccount(wanted, session.origin));
      return {
        account_id: created.accountId,
        kind,
        name,
        owner_user_id: owner,
        default_workspace_id: created.defaultWorkspaceId,
        management_key: managementKey,
      };
    },
  });
  program.command(accounts, {
    name: 'list',
    description: 'List all accounts, oldest first.',
    async action(session) {
      const all = await (await session.catchUp(AccountDirectory)).accounts();
      const data = all.map(({ account_id, kind, name, owner_user_id, default_workspace_id }) => ({
        account_id,
        kind,
        name,
        owner_user_id,
        default_workspace_id,
      }));
      return { data };
    },
  });
}

interface NewKeyOptions {
  readonly account?: string;
  readonly user?: string;
  readonly name?: string;
  readonly role: Role;
  readonly expiresAt?: string;
}

export function addManagementKeyCommands(program: Program): void {
  const keys = program.group(
    'management-keys',
    'Create, list and revoke management keys: the keys of gateways, auditors and administrators.',
  );
  program.command(keys, {
    name: 'create',
    description: 'Create a management key for a member of an account. The key is shown only once.',
    options: [
      optional(
        '--account <id>',
        'id of the account (default: the only account, if there is only one)',
      ),
      optional('--user <id>', 'id of the member (default: the owner of the account)'),
      optional('--name <name>', 'name of the key, such as its purpose'),
      new Option('--role <role>', 'role of the key, which says what it may do')
        .choices(ROLES)
        .default('admin'),
      new Option('--expires-at <time>', 'time at which the key expires (default: never)').argParser(
        parseTime,
      ),
    ],
    uses: ['QUOTA_MANAGEMENT_KEYS'],
    async action(session, options: NewKeyOptions) {
      const accountId = options.account ?? (await requireOnlyAccount(session));
      const userId = options.user ?? (await ownerOf(session, accountId));
      const managementKey = mintKeyString('mk-v1-');
      const hash = hashKeyString(managementKey);
      const { name = null, role, expiresAt: expires_at = null } = options;
      const key = { hash, user_id: userId, name, role, expires_at };
      await session.execute(new CreateManagementKey(accountId, key, session.origin));
      return { hash, account_id: accountId, user_id: userId, management_key: managementKey };
    },
  });
  program.command(keys, {
    name: 'list',
    description: 'List the management keys of an account, oldest first, including revoked ones.',
    options: [ACCOUNT_OPTION],
    async action(session, { account }: { account: string }) {
      const everyKey = { ...ALL, includeRevoked: true };
      const directory = await directoryWith(session, account);
      const { found } = await directory.managementKeys(account, everyKey);
      const data = found.documents.map(({ hash, account_id, user_id, name, role, ...times }) => ({
        hash,
        account_id,
        user_id,
        name,
        role,
        expires_at: times.expires_at,
        created_at: times.created_at,
        revoked_at: times.revoked_at,
      }));
      return { data };
    },
  });
  program.command(keys, {
    name: 'revoke',
    description: 'Revoke a management key permanently.',
    options: [required('--hash <hash>', 'hash of the key')],
    async action(session, { hash }: { hash: string }) {
      const accountId = await findAccountId(session, (accounts) => accounts.managementKey(hash));
      const command = new RevokeManagementKey(accountId, hash, session.origin);
      const revoked_at = await session.execute(command);
      if (revoked_at === null) throw new Refusal('management-key-already-revoked');
      return { hash, revoked_at };
    },
  });
}

interface Membership {
  readonly account: string;
  readonly user: string;
}

export function addMemberCommands(program: Program): void {
  const members = program.group('members', 'Add and remove the users of an organization.');
  program.command(members, {
    name: 'add',
    description: 'Add a user to an organization and to its default workspace.',
    options: [ACCOUNT_OPTION, requiredNewId('--user <id>', 'id of the user')],
    uses: ['QUOTA_MEMBERS'],
    async action(session, { account, user }: Membership) {
      const isNew = await session.execute(new AddMember(account, user, session.origin));
      if (!isNew) throw new Refusal('member-already-added');
      return { account_id: account, user_id: user };
    },
  });
  program.command(members, {
    name: 'remove',
    description:
      'Remove a user from an organization and its workspaces, and revoke the management keys of the user.',
    options: [ACCOUNT_OPTION, required('--user <id>', 'id of the user')],
    async action(session, { account, user }: Membership) {
      await session.execute(new RemoveMember(account, user, session.origin));
      return { account_id: account, user_id: user };
    },
  });
}

async function requireOnlyAccount(session: OperatorSession): Promise<string> {
  const [only, ...others] = await (await session.catchUp(AccountDirectory)).accounts();
  if (only && others.length === 0) return only.account_id;
  throw new Error('there is not exactly one account: name one of `accounts list` with --account');
}

async function ownerOf(session: OperatorSession, accountId: string): Promise<string> {
  const account = await session.get(AccountFacts).account(accountId);
  if (!account) throw notFound();
  return account.owner_user_id;
}
