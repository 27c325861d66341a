import type { OperatorSession } from '../command-line/operator-session.js';
import { notFound } from '../kernel/errors.js';
import { AccountDirectory } from './account-directory/account-directory.js';
import { accountDirectory } from './account-directory/account-directory.projection.js';

/** The account directory as of now. */
export function directory(session: OperatorSession): Promise<AccountDirectory> {
  return session.upToDate(accountDirectory.name, AccountDirectory);
}

/** @throws Refusal when there is no such account. */
export async function existingAccount(session: OperatorSession, accountId: string): Promise<void> {
  if (!(await (await directory(session)).account(accountId))) throw notFound();
}

/** The account that something belongs to. @throws Refusal when the thing does not exist. */
export function accountOf(thing: { readonly account_id: string } | undefined): string {
  if (!thing) throw notFound();
  return thing.account_id;
}
