import { createHash, randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { AccountFacts } from '../src/features/accounts/published/account-facts.js';
import { keyStream } from '../src/features/keys/domain/key.js';
import type { KeyEvent } from '../src/features/keys/domain/key.events.js';
import { keyCreated } from '../test/support/histories/keys.js';
import { origins, writeLog } from './dataset.js';

/** One in this many keys is in another workspace. */
const ELSEWHERE = 5;

/**
 * Whether a list without `include_disabled` shows a key. Every second key is disabled or deleted.
 */
function isListed(index: number): boolean {
  return index % 2 === 0;
}

function isElsewhere(index: number): boolean {
  return index % ELSEWHERE === 0;
}

/**
 * Counts the listed keys among the first `keys`: of every workspace, or of the default workspace.
 */
export function listedKeys(keys: number, scope: 'account' | 'workspace'): number {
  let listed = 0;
  for (let index = 0; index < keys; index++) {
    if (isListed(index) && (scope === 'account' || !isElsewhere(index))) listed++;
  }
  return listed;
}

/**
 * Fills the event log of an empty data directory with one organization and many keys, half disabled
 * or deleted.
 */
export function buildKeyLog(dataDir: string, managementKey: string, keys: number): Promise<void> {
  return writeLog(dataDir, managementKey, keys, async (accountId, registry, app) => {
    const account = await app.get(AccountFacts).account(accountId);
    if (!account) throw new Error('the log has no account');
    const workspaces = { home: account.default_workspace_id, elsewhere: randomUUID() };
    const originOf = origins(accountId);
    return (index) => {
      const hash = createHash('sha256').update(`key ${index}`).digest('hex');
      const happened: KeyEvent[] = [
        keyCreated({
          hash,
          account_id: accountId,
          workspace_id: isElsewhere(index) ? workspaces.elsewhere : workspaces.home,
          name: `key ${index}`,
          creator_user_id: 'user-ada',
          limit: 25,
          limit_reset: 'monthly',
        }),
      ];
      if (!isListed(index)) {
        happened.push({
          type: index % 4 === 1 ? 'ApiKeyDisabled' : 'ApiKeyDeleted',
          data: { hash },
        });
      }
      const metadata = originOf(index);
      const events = happened.map((event) => ({
        id: uuidv7(),
        ...registry.encode(event),
        metadata,
      }));
      return { stream: keyStream(hash), events, expected: 'no-stream' };
    };
  });
}
