import type { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../../kernel/metadata.js';
import { key, reserveForManagementKey } from '../domain/key.js';

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
