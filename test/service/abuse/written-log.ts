import { randomUUID } from 'node:crypto';
import { openEmbeddedLog } from '../../../src/event-sourcing/event-log/embedded-event-log.js';
import { EventRegistry } from '../../../src/event-sourcing/event-log/event-registry.js';
import { EVENTS } from '../../support/declared.js';
import type { DomainEvent } from '../../../src/kernel/event.js';
import type { AttackedService } from './attacked-service.js';

const EVENTS_AT_ONCE = 200;
const STREAMS_AT_ONCE = 100;

/** The events of an account that a stream gets after those that it has. */
export interface History {
  readonly account_id: string;
  readonly stream: string;
  readonly events: readonly DomainEvent[];
}

/** Stops a service, writes many events to its embedded log, and starts the service again. */
export async function withHistories(
  service: AttackedService,
  histories: readonly History[],
): Promise<AttackedService> {
  await service.stop('SIGKILL');
  const registry = new EventRegistry(EVENTS);
  const log = openEmbeddedLog(service.dataDir);
  const metadata = {
    occurred_at: new Date().toISOString(),
    actor: { type: 'management-key' as const, id: 'f'.repeat(64), user_id: 'owner' },
    request_id: null,
    correlation_id: randomUUID(),
    causation_id: randomUUID(),
  };
  const write = async ({ account_id, stream, events }: History): Promise<void> => {
    let revision = (await log.readStream(stream)).events.length - 1;
    const stored = events.map((event) => ({
      id: randomUUID(),
      ...registry.encode(event),
      metadata: { ...metadata, account_id },
    }));
    for (let first = 0; first < stored.length; first += EVENTS_AT_ONCE) {
      const append = stored.slice(first, first + EVENTS_AT_ONCE);
      const expected = revision < 0 ? 'no-stream' : revision;
      ({ revision } = await log.append(stream, append, expected));
    }
  };
  for (let first = 0; first < histories.length; first += STREAMS_AT_ONCE) {
    await Promise.all(histories.slice(first, first + STREAMS_AT_ONCE).map(write));
  }
  await log.close();
  return service.restart();
}
