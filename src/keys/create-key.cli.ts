import { type Command, Option } from 'commander';
import { ACCOUNT_OPTION, operatedAccount } from '../accounts/published/operated-account.js';
import { optional, type Program, required } from '../command-line/program.js';
import { shellQuoted } from '../command-line/shell.js';
import { lineOnStandardInput } from '../command-line/standard-input.js';
import { time, trackingString } from '../command-line/values.js';
import { isText } from '../http/field-rules.js';
import { containsKeyString, hashKeyString, mintKeyString } from '../key-strings/key-string.js';
import { CreateKey } from './create-key/create-key.command.js';
import { KeyQuota } from './create-key/key-quota.js';
import { KeyDirectory } from './key-directory/key-directory.js';
import { keyDirectory } from './key-directory/key-directory.projection.js';
import {
  bodyOf,
  type KeyFieldOptions,
  keyFieldOptions,
  type PrintedKey,
  printedKey,
} from './key-options.cli.js';

/** The longest line with a lookup key, in UTF-16 units: 512 characters of at most two units each, and the line end. */
const LONGEST_LOOKUP_KEY = 1_026;

interface Options extends KeyFieldOptions {
  readonly account: string;
  readonly name: string;
  readonly creator?: string;
  readonly expiresAt?: string;
  readonly externalUser?: string;
  readonly lookupKeyStdin?: true;
}

type Created = PrintedKey & { readonly key: string };

/** Adds `keyledger keys create`, which accepts the fields of `POST /v1/keys` (docs/api.md 3.3). */
export function addCreateKeyCommand(program: Program, keys: Command): void {
  program.command<Options, Created & Record<string, unknown>>(
    keys,
    'create',
    'Create an API key. The key string is shown only this once.',
    [
      ACCOUNT_OPTION,
      required('--name <name>', 'name of the key'),
      optional('--creator <user>', 'user who is recorded as its creator; absent: the owner'),
      new Option('--expires-at <time>', 'when it expires; a date is its midnight UTC').argParser(
        time,
      ),
      new Option('--external-user <user>', 'end user that the key is for').argParser(
        trackingString,
      ),
      new Option('--lookup-key-stdin', 'read the lookup key of that user from standard input'),
      ...keyFieldOptions('workspace of the key; absent: the default workspace'),
    ],
    async (session, options) => {
      const external = await externalOf(options, keys);
      const { accountId, ownerUserId } = await operatedAccount(session, options.account);
      await session.asFarAsItGoes(keyDirectory.name, KeyDirectory);
      await session.get(KeyQuota).admit(accountId);
      const keyString = mintKeyString('sk-v1-');
      const body = {
        name: options.name,
        ...(options.creator !== undefined && { creator_user_id: options.creator }),
        ...(options.expiresAt !== undefined && { expires_at: options.expiresAt }),
        ...(external && { external }),
        ...bodyOf(options),
      };
      const command = new CreateKey(
        accountId,
        hashKeyString(keyString),
        ownerUserId,
        body,
        session.origin,
      );
      return { ...printedKey(session, await session.execute(command)), key: keyString };
    },
    { unprinted: unshownKey },
  );
}

/** Returns the external user that the options name. Reads the lookup key, a partner's secret, from standard input. */
async function externalOf(
  { externalUser, lookupKeyStdin }: Options,
  keys: Command,
): Promise<{ readonly user: string; readonly lookup_key?: string } | undefined> {
  if (externalUser === undefined) {
    if (lookupKeyStdin) keys.error('error: --lookup-key-stdin needs --external-user');
    return undefined;
  }
  if (!lookupKeyStdin) return { user: externalUser };
  const lookup_key = await lineOnStandardInput(LONGEST_LOOKUP_KEY);
  if (!isText(lookup_key, {}) || lookup_key === undefined) {
    keys.error('error: standard input must be one lookup key of 1 to 512 characters');
  }
  if (containsKeyString(lookup_key)) keys.error('error: a lookup key must contain no key string');
  return { user: externalUser, lookup_key };
}

/** Returns the advice about a key that could not be printed. Nobody can use it, but it exists until it is deleted. */
function unshownKey({ hash }: Created, options: Options): string {
  const { account, name, creator, expiresAt, externalUser, lookupKeyStdin } = options;
  const { limit, limitReset, includeByokInLimit, workspace } = options;
  const given = Object.entries({
    account,
    name,
    creator,
    'expires-at': expiresAt,
    'external-user': externalUser,
    limit,
    'limit-reset': limitReset,
    'include-byok-in-limit': includeByokInLimit,
    workspace,
  }).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option}`, shellQuoted(String(value))],
  );
  return `The key could not be shown, and cannot be read again. Make another, and delete this one:
  keys create ${[...given, ...(lookupKeyStdin ? ['--lookup-key-stdin'] : [])].join(' ')}
  keys delete --hash ${hash}`;
}
