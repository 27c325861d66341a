import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { createAccount } from '../../../src/features/accounts/domain/account.decisions.js';
import type { AccountEvent } from '../../../src/features/accounts/domain/account.events.js';
import { account, accountStream } from '../../../src/features/accounts/domain/account.js';
import { openEmbeddedLog } from '../../../src/event-sourcing/event-log/embedded-event-log.js';
import { EventRegistry } from '../../../src/event-sourcing/event-log/event-registry.js';
import { EVENTS } from '../../../src/host/assembly/events-and-projections.js';
import { hashKeyString, mintKeyString } from '../../../src/kernel/key-string.js';

const BYTES_AT_ONCE = 2_000_000;

/** An account with a management key. */
export interface WrittenAccount {
  readonly accountId: string;
  readonly key: string;
}

/** Writes an account with many events into the log of a service that does not run. */
export async function writeAccount(
  dataDir: string,
  eventsOf: (accountId: string) => Iterable<AccountEvent>,
): Promise<WrittenAccount> {
  const log = openEmbeddedLog(dataDir);
  const registry = new EventRegistry(EVENTS);
  const accountId = randomUUID();
  const key = mintKeyString('mk-v1-');
  const metadata = {
    occurred_at: new Date().toISOString(),
    actor: { type: 'operator' as const, id: 'test', user_id: null },
    account_id: accountId,
    request_id: null,
    correlation_id: randomUUID(),
    causation_id: randomUUID(),
  };
  const opened = createAccount(account.initial, {
    account_id: accountId,
    kind: 'organization',
    name: 'Large',
    owner_user_id: 'owner',
    default_workspace_id: randomUUID(),
    management_key_hash: hashKeyString(key),
  });
  let revision = -1;
  const append = async (events: readonly AccountEvent[]): Promise<void> => {
    const stored = events.map((event) => ({
      id: v7(),
      ...registry.encode(event),
      metadata,
    }));
    const expected = revision === -1 ? 'no-stream' : revision;
    ({ revision } = await log.append(accountStream(accountId), stored, expected));
  };
  await append(opened);
  let waiting: AccountEvent[] = [];
  let bytes = 0;
  for (const event of eventsOf(accountId)) {
    waiting.push(event);
    bytes += 500 + JSON.stringify(event).length;
    if (bytes < BYTES_AT_ONCE) continue;
    await append(waiting);
    [waiting, bytes] = [[], 0];
  }
  if (waiting.length > 0) await append(waiting);
  await log.close();
  return { accountId, key };
}
