import type { OperatorSession } from '../../command-line/operator-session.js';
import { required } from '../../command-line/program.js';
import { notFound } from '../../kernel/errors.js';
import { AccountFacts, type PublishedAccount } from './account-facts.js';

/** The option of commands that work in one account. */
export const ACCOUNT_OPTION = required('--account <id>', 'id of the account');

/** Returns the account that a command works in, from the log. @throws Refusal when the account does not exist. */
export async function operatedAccount(
  session: OperatorSession,
  accountId: string,
): Promise<PublishedAccount & { readonly accountId: string }> {
  const account = await session.get(AccountFacts).account(accountId);
  if (!account) throw notFound();
  return { accountId, ...account };
}
