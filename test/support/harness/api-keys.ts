import type { KeyRecord } from '../../../src/features/keys/key-record.js';
import { keyStream } from '../../../src/features/keys/domain/key.js';
import type { EventLog, RecordedEvent } from '../../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../../src/event-sourcing/ledger.js';
import type { HttpClient } from './http-client.js';
import type { RunningApp } from './running-app.js';

export interface CreatedKey {
  readonly data: KeyRecord;
  readonly key: string;
}

export interface OneKey {
  readonly data: KeyRecord;
}

/** Creates an API key. @throws Error when the creation is refused. */
export async function createKey(client: HttpClient, body: object = {}): Promise<CreatedKey> {
  const created = await client.post<CreatedKey>('/v1/keys', { name: 'a key', ...body });
  if (created.status === 201) return created.body;
  throw new Error(`the creation was answered ${created.status}: ${created.text}`);
}

/** The events of an API key in order. */
export async function eventsOfKey(
  { app }: RunningApp,
  hash: string,
): Promise<readonly RecordedEvent[]> {
  return (await app.get<EventLog>(MANAGEMENT.log).readStream(keyStream(hash))).events;
}

/** Gives the types of the events of an API key in order. */
export async function eventTypesOfKey(service: RunningApp, hash: string): Promise<string[]> {
  return (await eventsOfKey(service, hash)).map((event) => event.type);
}

/** The metadata of an event that all events of its command share, as text. */
export function commandOf({ metadata }: RecordedEvent): string {
  const { more_in_append: _, ...shared } = metadata;
  return JSON.stringify(shared);
}
