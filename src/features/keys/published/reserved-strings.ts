import type { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../../kernel/metadata.js';
import { hashOfKeyStream, isReservation, key, reserveForManagementKey } from '../domain/key.js';

/**
 * Reserves a string, by its hash, for a management key of an account. Every creation of a
 * management key begins with this, before the stream of the account knows the hash, so that no hash
 * belongs to two accounts. A repeat by the same account changes nothing.
 * @throws Refusal when the string is anything else's.
 */
export async function reserveManagementKey(
  runner: DecisionRunner,
  accountId: string,
  hash: string,
  origin: Origin,
): Promise<void> {
  await runner.run({
    aggregate: key,
    id: hash,
    accountId,
    origin,
    expectNew: true,
    decide: (state) => reserveForManagementKey(state, { hash, account_id: accountId }),
  });
}

/**
 * Whether an account has a string reserved for a management key. Then the account may have, or have
 * had, that key. @throws Refusal when the string is anything else's.
 */
export async function isReserved(
  runner: DecisionRunner,
  accountId: string,
  hash: string,
): Promise<boolean> {
  const state = await runner.load(key, hash, accountId);
  return reserveForManagementKey(state, { hash, account_id: accountId }).length === 0;
}

/** Returns the account for whose management key a stream is a reservation; null for other ones. */
export async function reservingAccount(
  runner: DecisionRunner,
  stream: string,
): Promise<string | null> {
  const hash = hashOfKeyStream(stream);
  const state = hash === undefined ? null : await runner.load(key, hash);
  return isReservation(state) && state.key_hash === null ? state.account_id : null;
}
