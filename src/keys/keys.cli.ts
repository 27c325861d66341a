import { Option } from 'commander';
import { ACCOUNT_OPTION, operatedAccount } from '../accounts/published/operated-account.js';
import { WORKSPACE_READ_MODEL } from '../accounts/published/workspace-directory.js';
import { listed } from '../command-line/listed.js';
import type { OperatorSession } from '../command-line/operator-session.js';
import { optional, type Program } from '../command-line/program.js';
import { count, trackingString } from '../command-line/values.js';
import { Maintenance } from '../projections/maintenance.js';
import { addCreateKeyCommand } from './create-key.cli.js';
import { DeleteKey } from './delete-key/delete-key.command.js';
import { keyDirectory } from './key-directory/key-directory.projection.js';
import type { KeyFilter } from './key-directory/key-pages.js';
import {
  accountOfKey,
  ONE_KEY,
  type OneKey,
  type PrintedKey,
  printedKey,
} from './key-options.cli.js';
import { presentKey } from './key-record.js';
import { WORKSPACE_ID } from './key.fields.js';
import { ALL_WORKSPACES, ListKeys } from './list-keys/list-keys.query.js';
import { ReadKey } from './read-key/read-key.query.js';
import { addUpdateKeyCommand } from './update-key.cli.js';
import { addVerifyKeyCommand } from './verify-key.cli.js';

interface ListOptions {
  readonly account: string;
  readonly workspace?: string;
  readonly creator?: string;
  readonly externalUser?: string;
  readonly name?: string;
  readonly includeDisabled?: true;
  readonly limit?: number;
}

/** Adds the commands `keyledger keys …` (docs/api.md 9.7). */
export function addKeyCommands(program: Program): void {
  const keys = program.group('keys', 'API keys of any account.');
  program.list<ListOptions, PrintedKey>(
    keys,
    'list',
    'The API keys of an account, newest first.',
    [
      ACCOUNT_OPTION,
      optional('--workspace <id>', 'only keys in this workspace', WORKSPACE_ID.max),
      optional('--creator <user>', 'only keys that this user made'),
      new Option('--external-user <user>', 'only keys for this end user').argParser(trackingString),
      optional('--name <name>', 'only keys of exactly this name'),
      new Option('--include-disabled', 'disabled keys too'),
      new Option('--limit <count>', 'how many at most; default: all').argParser(count),
    ],
    async (session, options) => {
      const { account: accountId, includeDisabled = false, limit } = options;
      const account = await operatedAccount(session, accountId);
      await readModelsOfKeys(session);
      return listed(async (page) => {
        const query = new ListKeys(account, {
          filter: filterOf(options),
          includeDisabled,
          ...page,
        });
        const { keys: found, total, next } = await session.ask(query);
        const now = session.now();
        const rows = found.map((key) => ({ account_id: accountId, ...presentKey(key, now) }));
        return { rows, total, next };
      }, limit);
    },
    ['name', 'creator_user_id', 'disabled', 'limit', 'limit_reset', 'expires_at', 'hash'],
  );
  program.command<OneKey, PrintedKey & Record<string, unknown>>(
    keys,
    'read',
    'One API key, by its hash.',
    ONE_KEY,
    async (session, options) => {
      const account = await accountOfKey(session, options);
      await readModelsOfKeys(session);
      const { key } = await session.ask(new ReadKey(account, options.hash));
      return printedKey(session, key);
    },
    { purpose: 'examines' },
  );
  addCreateKeyCommand(program, keys);
  addUpdateKeyCommand(program, keys);
  program.command<OneKey>(
    keys,
    'delete',
    'Delete an API key for good.',
    ONE_KEY,
    async (session, options) => {
      const { accountId } = await accountOfKey(session, options);
      await session.execute(new DeleteKey(accountId, options.hash, session.origin));
      return { account_id: accountId, hash: options.hash, deleted: true };
    },
  );
  addVerifyKeyCommand(program, keys);
}

function filterOf({ workspace, creator, externalUser, name }: ListOptions): KeyFilter {
  return {
    workspace_id: workspace ?? ALL_WORKSPACES,
    creator_user_id: creator,
    external_user: externalUser,
    name,
  };
}

async function readModelsOfKeys(session: OperatorSession): Promise<void> {
  const maintenance = session.get(Maintenance);
  await maintenance.catchUp(WORKSPACE_READ_MODEL);
  await maintenance.catchUp(keyDirectory.name);
}
