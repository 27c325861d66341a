import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';

/** With credentials the client uses the same append call as the service. */
const CREDENTIALS = { username: 'admin', password: 'changeit' };

/** Measures appends of one event to new streams, one after another. @returns milliseconds of each. */
export async function bareAppendMs(connectionString: string, seconds: number): Promise<number[]> {
  const client = EventStoreDBClient.connectionString(connectionString);
  const actor = { type: 'management-key', id: 'f'.repeat(64), user_id: `user-${randomUUID()}` };
  try {
    return await timesOf(seconds, async () => {
      const id = randomUUID();
      const event = jsonEvent({
        type: 'EndUserRegistered',
        data: { organization_id: randomUUID(), user: id },
        metadata: { actor, request_id: id, correlation_id: id, causation_id: id },
      });
      await client.appendToStream(`bench-${id}`, event, {
        expectedRevision: NO_STREAM,
        credentials: CREDENTIALS,
      });
    });
  } finally {
    await client.dispose();
  }
}

/** Measures registrations, one after another. @returns milliseconds of each. */
export function registrationMs(address: string, key: string, seconds: number): Promise<number[]> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return timesOf(seconds, async () => {
    const body = JSON.stringify({ user: `user-${randomUUID()}` });
    const response = await fetch(`${address}/v1/end-users`, { method: 'POST', headers, body });
    const answer = await response.text();
    if (response.status !== 201) throw new Error(`a registration was answered with ${answer}`);
  });
}

async function timesOf(seconds: number, work: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return times;
}
