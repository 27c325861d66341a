import type { KeysOfUser } from '../accounts/published/keys-of-user.js';
import { operatedAccount } from '../accounts/published/operated-account.js';
import type { OperatorSession } from '../command-line/operator-session.js';
import { Refusal } from '../kernel/errors.js';
import { KeyDirectory } from './key-directory/key-directory.js';
import { keyDirectory } from './key-directory/key-directory.projection.js';
import { UpdateKey } from './update-key/update-key.command.js';

/** The number of keys that `disableLive` disables at the same time. */
const BATCH = 100;

/** The part of `members remove` that counts and disables API keys (docs/api.md 9.9). */
export const keysOfUser: KeysOfUser = {
  async countLive(session, accountId, userId) {
    const directory = await session.asFarAsItGoes(keyDirectory.name, KeyDirectory);
    const { total } = await directory.page(accountId, liveKeysOf(userId, 1));
    return total;
  },

  async disableLive(session, accountId, userId) {
    const account = await operatedAccount(session, accountId);
    let disabled = 0;
    for (;;) {
      const directory = await session.upToDate(keyDirectory.name, KeyDirectory);
      const { keys } = await directory.page(accountId, liveKeysOf(userId, BATCH));
      if (keys.length === 0) return disabled;
      const done = await Promise.all(keys.map(({ hash }) => disable(session, account, hash)));
      disabled += done.filter(Boolean).length;
    }
  },
};

function liveKeysOf(userId: string, limit: number): Parameters<KeyDirectory['page']>[1] {
  return { filter: { creator_user_id: userId }, includeDisabled: false, offset: 0, limit };
}

/** Disables a key. @returns false for a key that was deleted meanwhile. */
async function disable(
  session: OperatorSession,
  account: Awaited<ReturnType<typeof operatedAccount>>,
  hash: string,
): Promise<boolean> {
  try {
    await session.execute(new UpdateKey(account, hash, { disabled: true }, session.origin));
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not-found') return false;
    throw error;
  }
}
