import {
  type AllStreamSubscription,
  type AppendToStreamOptions,
  EventStoreDBClient,
  jsonEvent,
  type JSONType,
  type Position,
  type ReadPosition,
  type RecordedEvent,
  type ResolvedEvent,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import type { EventStoreDbServer } from '../eventstoredb-server.js';

/** With these credentials in an append, the client uses the call that the simulator knows. */
export const CLASSIC: AppendToStreamOptions = {
  credentials: { username: 'admin', password: 'changeit' },
};

export type Recorded = RecordedEvent & { readonly position: Position };

type Addressed = Pick<EventStoreDbServer, 'connectionString'>;

/**
 * Clients that are disposed of together. A client that stays open keeps the process from ending.
 */
export class Clients {
  private readonly clients: EventStoreDBClient[] = [];

  /** @param settings as in a connection string, such as `defaultDeadline=500`. */
  connect({ connectionString }: Addressed, settings?: string): EventStoreDBClient {
    const separator = connectionString.includes('?') ? '&' : '?';
    const client = EventStoreDBClient.connectionString(
      settings === undefined ? connectionString : connectionString + separator + settings,
    );
    this.clients.push(client);
    return client;
  }

  async dispose(): Promise<void> {
    await Promise.all(this.clients.splice(0).map((client) => client.dispose()));
  }
}

export function freshStream(): string {
  return `simulated${randomUUID().replaceAll('-', '')}-1`;
}

export function event(type = 'Happened', data: JSONType = {}) {
  return jsonEvent({ id: randomUUID(), type, data });
}

export function events(count: number, type?: string) {
  return Array.from({ length: count }, (_, place) => event(type, { place }));
}

/** Subscribes to the events of one stream, from the start on or after a position. */
export function follow(
  client: EventStoreDBClient,
  stream: string,
  fromPosition: ReadPosition = START,
): AllStreamSubscription {
  const filter = streamNameFilter({ prefixes: [stream] });
  return client.subscribeToAll({ fromPosition, filter });
}

interface Reading extends AsyncIterable<ResolvedEvent> {
  cancel?(): Promise<void>;
  unsubscribe?(): Promise<void>;
}

/** Gives the events of a read, or the first events of a subscription, which then ends. */
export async function take(reading: Reading, count = Infinity): Promise<Recorded[]> {
  const taken: Recorded[] = [];
  try {
    for await (const { event: recorded } of reading) {
      if (recorded?.position === undefined) throw new Error('an event without a position');
      taken.push({ ...recorded, position: recorded.position });
      if (taken.length >= count) break;
    }
  } finally {
    await reading.cancel?.();
    await reading.unsubscribe?.();
  }
  return taken;
}

export function idsOf(some: readonly { readonly id: string }[]): string[] {
  return some.map(({ id }) => id);
}
