import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { v7 as uuidv7 } from 'uuid';
import { AccountFacts } from '../src/features/accounts/published/account-facts.js';
import { hashKeyString } from '../src/kernel/key-string.js';
import { keyStream } from '../src/features/keys/domain/key.js';
import { keyCreated } from '../test/support/histories/keys.js';
import { origins, writeLog } from './dataset.js';

/** Gives the well-formed key string with a number, the same in each process. */
export function keyStringOf(index: number): string {
  const digest = createHash('sha256').update(`key ${index}`).digest('hex');
  const body = `sk-v1-${digest.slice(0, 56)}`;
  return body + crc32(body).toString(16).padStart(8, '0');
}

/**
 * Fills the event log of an empty data directory with one organization and many keys that may be
 * used.
 */
export function buildUsableKeys(
  dataDir: string,
  managementKey: string,
  keys: number,
): Promise<void> {
  return writeLog(dataDir, managementKey, keys, async (accountId, registry, app) => {
    const account = await app.get(AccountFacts).account(accountId);
    if (!account) throw new Error('the log has no account');
    const { default_workspace_id: workspace_id } = account;
    const originOf = origins(accountId);
    return (index) => {
      const hash = hashKeyString(keyStringOf(index));
      const created = keyCreated({
        hash,
        account_id: accountId,
        workspace_id,
        name: `key ${index}`,
        creator_user_id: 'user-ada',
        limit: 25,
        limit_reset: 'monthly',
        expires_at: '2100-01-01T00:00:00.000Z',
      });
      const event = { id: uuidv7(), ...registry.encode(created), metadata: originOf(index) };
      return { stream: keyStream(hash), events: [event], expected: 'no-stream' };
    };
  });
}
