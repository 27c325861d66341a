import { randomUUID } from 'node:crypto';
import { EVENT_LOG, type EventLog } from '../../src/event-log/event-log.js';
import { EventRegistry } from '../../src/event-log/event-registry.js';
import { endUserRegistered } from '../../src/end-users/domain/end-user.events.js';
import type { RunningApp, TestAccount } from './running-app.js';
import { stateOf } from './service-state.js';

/** EventStoreDB takes no more than 1 MiB at once. */
const IN_ONE_APPEND = 250;
/** Of characters of four bytes, so that a few thousand are too much for the buffers of a connection. */
const LONG_NAME_END = '\u{1f511}'.repeat(476);
/** What FerretDB may take to fold one, beside another suite. */
const FOLDED_WITHIN_MS = 10;

/** Registers so many end users of an account at once, without HTTP, and waits for the read models. */
export async function registerMany(
  service: RunningApp,
  { accountId: account_id }: Pick<TestAccount, 'accountId'>,
  count: number,
): Promise<void> {
  const log = service.app.get<EventLog>(EVENT_LOG);
  const registry = service.app.get(EventRegistry);
  const metadata = {
    occurred_at: new Date().toISOString(),
    actor: { type: 'operator' as const, id: 'test', user_id: null },
    account_id,
    request_id: null,
    correlation_id: randomUUID(),
    causation_id: randomUUID(),
  };
  for (let first = 0; first < count; first += IN_ONE_APPEND) {
    const events = Array.from({ length: Math.min(IN_ONE_APPEND, count - first) }, () => {
      const data = { organization_id: account_id, user: randomUUID() + LONG_NAME_END };
      const event = registry.encode({ type: endUserRegistered.type, data });
      return { id: randomUUID(), ...event, metadata };
    });
    await log.append(`many-${randomUUID()}`, events, 'no-stream');
  }
  await stateOf(service, count * FOLDED_WITHIN_MS);
}
