import type { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../../kernel/metadata.js';
import {
  accountOfManagementKey,
  hashOfKeyStream,
  key,
  type Reservation,
  reserve,
} from '../domain/key.js';

/**
 * Reserves a string, by its hash, before any other stream knows the hash: so no hash belongs to two
 * keys or two accounts. A repeat changes nothing.
 * @throws Refusal when the string is anything else's.
 */
export async function reserveString(
  runner: DecisionRunner,
  hash: string,
  reservation: Reservation,
  origin: Origin,
): Promise<void> {
  await runner.run({
    aggregate: key,
    id: hash,
    accountId: reservation.account_id,
    origin,
    expectNew: true,
    decide: (state) => reserve(state, hash, reservation),
  });
}

/**
 * Whether a string is reserved. Then the key may have, or have had, that string.
 * @throws Refusal when the string is anything else's.
 */
export async function isReserved(
  runner: DecisionRunner,
  hash: string,
  reservation: Reservation,
): Promise<boolean> {
  const state = await runner.load(key, hash, reservation.account_id);
  return reserve(state, hash, reservation).length === 0;
}

/** Returns the account for whose management key a stream is a reservation; null for other ones. */
export async function reservingAccount(
  runner: DecisionRunner,
  stream: string,
): Promise<string | null> {
  const hash = hashOfKeyStream(stream);
  return hash === undefined ? null : accountOfManagementKey(await runner.load(key, hash));
}
