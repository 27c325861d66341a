import type { OperatorSession } from '../../edge/command-line/operator-session.js';
import { required } from '../../edge/command-line/option-values.js';
import { notFound } from '../../kernel/errors.js';
import { AccountDirectory } from './account-directory/account-directory.js';

export const ACCOUNT_OPTION = required('--account <id>', 'id of the account');

/** Returns the account directory, up to date with the log. @throws Refusal for unknown accounts. */
export async function directoryWith(
  session: OperatorSession,
  accountId: string,
): Promise<AccountDirectory> {
  const accounts = await session.catchUp(AccountDirectory);
  if (!(await accounts.account(accountId))) throw notFound();
  return accounts;
}

/**
 * Finds an object, such as a workspace, and returns the id of its account. If the directory is
 * stuck at an unreadable event, `find` searches the directory as it was before that event.
 * @throws Refusal when `find` returns no object.
 */
export async function findAccountId(
  session: OperatorSession,
  find: (accounts: AccountDirectory) => Promise<{ readonly account_id: string } | undefined>,
): Promise<string> {
  const found = await find(await session.catchUpAsFarAsPossible(AccountDirectory));
  if (!found) throw notFound();
  return found.account_id;
}
