import { randomUUID } from 'node:crypto';
import type { EventLog } from '../../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../../src/event-sourcing/ledger.js';
import { EventRegistry } from '../../../src/event-sourcing/event-log/event-registry.js';
import { type Backends, freshBackends } from './backends.js';
import { type RunningApp, startApp, type TestAccount } from './running-app.js';
import { stateOf } from './service-state.js';

/** The events of one append. EventStoreDB accepts at most 1 MiB. */
const IN_ONE_APPEND = 250;
/**
 * The end of each name: four-byte characters, so that a few thousand events exceed the buffers of a
 * connection.
 */
const LONG_NAME_END = '\u{1f511}'.repeat(476);
/** The time that a server may take to fold one event beside another suite. */
const FOLDED_WITHIN_MS = 10;

/** Registers many end users of an account directly in the log, and waits for the read models. */
export async function registerMany(
  service: RunningApp,
  { accountId: account_id }: Pick<TestAccount, 'accountId'>,
  count: number,
): Promise<void> {
  const log = service.app.get<EventLog>(MANAGEMENT.log);
  const registry = service.app.get<EventRegistry>(MANAGEMENT.registry);
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
      const event = registry.encode({ type: 'EndUserRegistered', data });
      return { id: randomUUID(), ...event, metadata };
    });
    await log.append(`many-${randomUUID()}`, events, 'no-stream');
  }
  await stateOf(service, count * FOLDED_WITHIN_MS);
}

/**
 * Makes backends with a long trail of an account, for services that a suite starts. The suite
 * disposes of them.
 */
export async function backendsWithTrail(
  count: number,
): Promise<{ readonly backends: Backends; readonly managementKey: string }> {
  const backends = await freshBackends();
  const service = await startApp({}, { backends });
  try {
    const account = await service.openAccount();
    await registerMany(service, account, count);
    return { backends, managementKey: account.managementKey };
  } finally {
    await service.stop();
  }
}
