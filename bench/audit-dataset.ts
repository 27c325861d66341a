import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { AuditedEvent } from '../src/features/audit-trail/domain/descriptions.js';
import { endUserId, endUserStream } from '../src/features/end-users/domain/end-user.js';
import type { Actor } from '../src/kernel/metadata.js';
import { keyStream } from '../src/features/keys/domain/key.js';
import type { ExpectedRevision } from '../src/event-sourcing/event-log/event-log.js';
import { keyCreated } from '../test/support/histories/keys.js';
import { origins, writeLog } from './dataset.js';

const ACTORS: readonly Actor[] = ['ada', 'bob', 'eve'].map((user) => ({
  type: 'management-key',
  id: digest(`key of ${user}`),
  user_id: `user-${user}`,
}));
/** The key that changes all the time. */
const BUSY = digest('busy');
/** The place of the deep past, as a share of the log from its beginning. */
const DEEP = 0.02;

/** Filters as query strings, by a name for the report. */
export const FILTERS: Readonly<Record<string, string>> = {
  none: '',
  'one action': 'action=key.disabled',
  'three actions': 'action=key.disabled&action=key.created&action=end-user.registered',
  'type of target': 'target_type=key',
  'from a time': 'from=2000-01-01T00:00:00Z',
  'from a time and action': 'from=2000-01-01T00:00:00Z&action=key.disabled',
  user: 'actor=user-ada',
  'management key': `actor=${digest('key of bob')}`,
  'user and action': 'actor=user-eve&action=key.disabled',
  'busy target': `target_type=key&target_id=${BUSY}`,
  'busy target and action': `target_type=key&target_id=${BUSY}&action=key.limit-changed`,
  'busy target and user': `target_type=key&target_id=${BUSY}&actor=user-ada`,
};

/**
 * Fills the event log of an empty data directory: end users, keys that are created and disabled,
 * and one key that changes all the time. Three users act in turn.
 * @returns a time in the deep past of the log.
 */
export async function buildAuditLog(
  dataDir: string,
  managementKey: string,
  total: number,
): Promise<string> {
  let deep = '';
  await writeLog(dataDir, managementKey, total, async (accountId, registry) => {
    const originOf = origins(accountId);
    deep = originOf(Math.floor(total * DEEP)).occurred_at;
    return (index) => {
      const { stream, event } = happeningAt(index, accountId);
      const actor = ACTORS[Math.floor(index / 4) % ACTORS.length];
      const metadata = { ...originOf(index), ...(actor && { actor }) };
      const stored = { id: uuidv7(), ...registry.encode(event), metadata };
      return { stream, events: [stored], expected: expectedAt(index) };
    };
  });
  return deep;
}

/** The revision of the stream that `happeningAt` writes to. */
function expectedAt(index: number): ExpectedRevision {
  if (index % 4 === 2) return 0;
  const changes = index % 4 === 3 ? (index - 3) / 4 : 0;
  return changes === 0 ? 'no-stream' : changes - 1;
}

function happeningAt(index: number, account_id: string): { stream: string; event: AuditedEvent } {
  const hash = digest(`key ${Math.floor(index / 4)}`);
  switch (index % 4) {
    case 0: {
      const user = digest(`user ${index}`);
      const data = { organization_id: account_id, user };
      return {
        stream: endUserStream(endUserId(account_id, user)),
        event: { type: 'EndUserRegistered', data },
      };
    }
    case 1:
      return { stream: keyStream(hash), event: created(hash, account_id) };
    case 2:
      return { stream: keyStream(hash), event: { type: 'ApiKeyDisabled', data: { hash } } };
    default: {
      if (index === 3) return { stream: keyStream(BUSY), event: created(BUSY, account_id) };
      const data = { hash: BUSY, limit: index, previous_limit: index - 4 };
      return { stream: keyStream(BUSY), event: { type: 'ApiKeyLimitChanged', data } };
    }
  }
}

function created(hash: string, account_id: string): AuditedEvent {
  return keyCreated({
    hash,
    account_id,
    workspace_id: 'workspace',
    name: `key ${hash.slice(0, 8)}`,
    creator_user_id: 'user-ada',
    limit: 0,
    limit_reset: 'monthly',
  });
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
