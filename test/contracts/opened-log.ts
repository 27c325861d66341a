import { randomUUID } from 'node:crypto';
import type { EventLog, StoredEvent } from '../../src/event-log/event-log.js';
import { metadataAt } from '../specs/metadata-at.js';

/** A log under test; `reopen` closes it and opens what it left, as a restart does. */
export interface OpenedLog {
  readonly log: EventLog;
  reopen(): Promise<void>;
  dispose(): Promise<void>;
}

/** An event nobody has stored yet. */
export function event(data: unknown = {}, type = 'Something'): StoredEvent {
  return { id: randomUUID(), type, version: 1, data, metadata: metadataAt(0) };
}

/** The name of a stream nobody has written to yet. */
export function freshStream(): string {
  return `stream-${randomUUID()}`;
}
