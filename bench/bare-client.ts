import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, NO_STREAM, streamNameFilter } from '@eventstore/db-client';
import { STREAM_PREFIX } from '../src/event-sourcing/event-log/eventstoredb/eventstoredb-event-log.js';

/** Given with an append, credentials make the client use the call that the service uses. */
const CREDENTIALS = { username: 'admin', password: 'changeit' };

/** The client of the log server alone, in its own process. */
export interface BareTask {
  readonly connectionString: string;
  /** `append`: appends per second; `subscribe`: events of the service per second. */
  readonly what: 'append' | 'subscribe';
  /** The number of appends at once. */
  readonly seconds: number;
  readonly atOnce: number;
}

export interface BareResult {
  readonly perSecond: number;
}

/** Appends one event of the size of a registration to a stream of its own. */
export async function appendOne(client: EventStoreDBClient): Promise<void> {
  const id = randomUUID();
  const actor = { type: 'management-key', id: 'f'.repeat(64), user_id: `user-${id}` };
  const event = jsonEvent({
    type: 'EndUserRegistered',
    data: { organization_id: randomUUID(), user: id },
    metadata: { actor, request_id: id, correlation_id: id, causation_id: id, hash: 'f'.repeat(64) },
  });
  await client.appendToStream(`bench-${id}`, event, {
    expectedRevision: NO_STREAM,
    credentials: CREDENTIALS,
  });
}

async function appends(client: EventStoreDBClient, { seconds, atOnce }: BareTask): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let done = 0;
  const writer = async (): Promise<void> => {
    for (; performance.now() < end; done++) await appendOne(client);
  };
  await Promise.all(Array.from({ length: atOnce }, writer));
  return done / seconds;
}

/** Reads all events of the service once. */
async function subscribed(client: EventStoreDBClient): Promise<number> {
  const filter = streamNameFilter({ prefixes: [`${STREAM_PREFIX}.`], maxSearchWindow: 1_000 });
  const subscription = client.subscribeToAll({ filter });
  const began = performance.now();
  let events = 0;
  await new Promise<void>((resolve, reject) => {
    subscription.on('data', () => (events += 1));
    subscription.on('error', reject);
    subscription.on('caughtUp', () => setImmediate(resolve));
  });
  const seconds = (performance.now() - began) / 1_000;
  await subscription.unsubscribe();
  return events / seconds;
}

async function run(task: BareTask): Promise<BareResult> {
  const client = EventStoreDBClient.connectionString(task.connectionString);
  try {
    return {
      perSecond: await (task.what === 'append' ? appends(client, task) : subscribed(client)),
    };
  } finally {
    await client.dispose();
  }
}

if (process.send) {
  process.once('message', (task: BareTask) => {
    void run(task).then((result) => process.send?.(result, () => process.disconnect()));
  });
}
