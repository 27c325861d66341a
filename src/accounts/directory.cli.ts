import type { OperatorSession } from '../command-line/operator-session.js';
import { notFound } from '../kernel/errors.js';
import { AccountDirectory } from './account-directory/account-directory.js';
import { accountDirectory } from './account-directory/account-directory.projection.js';

/** The account directory, up to date with the log. */
export function directory(session: OperatorSession): Promise<AccountDirectory> {
  return session.upToDate(accountDirectory.name, AccountDirectory);
}

/** The account directory, up to date with the log. @throws Refusal when it does not have this account. */
export async function directoryWith(
  session: OperatorSession,
  accountId: string,
): Promise<AccountDirectory> {
  const accounts = await directory(session);
  if (!(await accounts.account(accountId))) throw notFound();
  return accounts;
}

/**
 * The account of a thing that a command changes. A change does not wait for a directory that is stuck.
 * @throws Refusal when the thing is not found.
 */
export async function accountOf(
  session: OperatorSession,
  find: (accounts: AccountDirectory) => Promise<{ readonly account_id: string } | undefined>,
): Promise<string> {
  const found = await find(await session.asFarAsItGoes(accountDirectory.name, AccountDirectory));
  if (!found) throw notFound();
  return found.account_id;
}
