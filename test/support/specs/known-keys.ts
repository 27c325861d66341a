import { KnownBudgets } from '../../../src/features/verification/known-keys/known-budgets.js';
import { KnownKeys } from '../../../src/features/verification/known-keys/known-keys.js';

const LIMITS = { limitChanged: () => undefined, commonLimitChanged: () => undefined };

/** Makes a memory of keys that tells nobody which limits changed. */
export function knownKeys(mostBytes?: number): KnownKeys {
  return new KnownKeys(new KnownBudgets(LIMITS, { isWithoutBudget: () => undefined }), mostBytes);
}
