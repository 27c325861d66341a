import { Option } from 'commander';
import type { OperatorSession } from '../command-line/operator-session.js';
import { optional, required } from '../command-line/program.js';
import { amountOrNone, choiceOrNone, flag, orNull, type OrNone } from '../command-line/values.js';
import { operatedAccount } from '../accounts/published/operated-account.js';
import { notFound } from '../kernel/errors.js';
import { type Key, LIMIT_RESETS, type LimitReset } from './domain/key.js';
import { type KeyRecord, presentKey } from './key-record.js';
import { WORKSPACE_ID } from './key.fields.js';
import { KeyFacts } from './published/key-facts.js';

/** The options that name one key. */
export interface OneKey {
  readonly hash: string;
  readonly account?: string;
}

/** The options for the key fields that both `keys create` and `keys update` can set. */
export interface KeyFieldOptions {
  readonly limit?: OrNone<number>;
  readonly limitReset?: OrNone<LimitReset>;
  readonly includeByokInLimit?: boolean;
  readonly workspace?: string;
}

/** A key as commands print it. */
export type PrintedKey = { readonly account_id: string } & KeyRecord;

export const ONE_KEY: readonly Option[] = [
  required('--hash <hash>', 'hash of the key'),
  optional('--account <id>', 'account that the key must be of; absent: any'),
];

/** Returns the options for the key fields that both `keys create` and `keys update` can set. */
export function keyFieldOptions(workspace: string): Option[] {
  return [
    new Option('--limit <usd>', 'spending limit in USD; none for no limit').argParser(amountOrNone),
    new Option(
      '--limit-reset <window>',
      `when the limit starts anew: ${LIMIT_RESETS.join(', ')}; none for never`,
    ).argParser(choiceOrNone(LIMIT_RESETS)),
    new Option(
      '--include-byok-in-limit <flag>',
      'whether BYOK usage counts toward the limit: true or false',
    ).argParser(flag),
    optional('--workspace <id>', workspace, WORKSPACE_ID.max),
  ];
}

/** Returns the fields of a request body that these options set. */
export function bodyOf({ limit, limitReset, includeByokInLimit, workspace }: KeyFieldOptions): {
  limit?: number | null;
  limit_reset?: LimitReset | null;
  include_byok_in_limit?: boolean;
  workspace_id?: string;
} {
  return {
    ...(limit !== undefined && { limit: orNull(limit) }),
    ...(limitReset !== undefined && { limit_reset: orNull(limitReset) }),
    ...(includeByokInLimit !== undefined && { include_byok_in_limit: includeByokInLimit }),
    ...(workspace !== undefined && { workspace_id: workspace }),
  };
}

/**
 * Reads the account of a key from the log. So a command that changes a key needs no read model.
 * @throws Refusal when there is no such key, or when the options name another account.
 */
export async function accountOfKey(
  session: OperatorSession,
  { hash, account }: OneKey,
): ReturnType<typeof operatedAccount> {
  const key = await session.get(KeyFacts).key(hash);
  if (!key || (account !== undefined && account !== key.account_id)) throw notFound();
  return operatedAccount(session, key.account_id);
}

export function printedKey(session: OperatorSession, key: Key): PrintedKey {
  return { account_id: key.account_id, ...presentKey(key, session.now()) };
}
