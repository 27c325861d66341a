import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import { appendOne } from './bare-client.js';

/**
 * Measures appends of one event to new streams, one after another. @returns milliseconds of each.
 */
export async function bareAppendMs(connectionString: string, seconds: number): Promise<number[]> {
  const client = EventStoreDBClient.connectionString(connectionString);
  try {
    return await timesOf(seconds, () => appendOne(client));
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
