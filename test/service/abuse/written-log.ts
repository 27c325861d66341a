import { randomUUID } from 'node:crypto';
import { openEmbeddedLog } from '../../../src/event-sourcing/event-log/embedded-event-log.js';
import { EventRegistry } from '../../../src/event-sourcing/event-log/event-registry.js';
import { keyStream } from '../../../src/features/keys/domain/key.js';
import { type KeyEvent, keyEvents } from '../../../src/features/keys/domain/key.events.js';
import type { AttackedService } from './attacked-service.js';

const EVENTS_AT_ONCE = 200;

/** The events of one key. */
export interface KeyHistory {
  readonly hash: string;
  readonly events: readonly KeyEvent[];
}

/** Stops a service, writes many events of the attacker's account to its embedded log, and starts the service again. */
export async function withHistories(
  service: AttackedService,
  histories: readonly KeyHistory[],
): Promise<AttackedService> {
  await service.stop('SIGKILL');
  const registry = new EventRegistry(keyEvents);
  const log = openEmbeddedLog(service.dataDir);
  const metadata = {
    occurred_at: new Date().toISOString(),
    actor: { type: 'management-key' as const, id: 'f'.repeat(64), user_id: 'owner' },
    account_id: service.attackerAccountId,
    request_id: null,
    correlation_id: randomUUID(),
    causation_id: randomUUID(),
  };
  for (const { hash, events } of histories) {
    const stored = events.map((event) => ({
      id: randomUUID(),
      ...registry.encode(event),
      metadata,
    }));
    for (let first = 0; first < stored.length; first += EVENTS_AT_ONCE) {
      const append = stored.slice(first, first + EVENTS_AT_ONCE);
      await log.append(keyStream(hash), append, first === 0 ? 'no-stream' : first - 1);
    }
  }
  await log.close();
  return service.restart();
}
