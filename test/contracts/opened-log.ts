import { randomUUID } from 'node:crypto';
import type { EventLog, StoredEvent } from '../../src/event-sourcing/event-log/event-log.js';
import { metadataAt } from '../support/specs/metadata-at.js';

/** A log under test. `reopen` closes the log and opens it again, like a restart. */
export interface OpenedLog {
  readonly log: EventLog;
  reopen(): Promise<void>;
  dispose(): Promise<void>;
}

/** Makes an event that is not stored yet. */
export function event(data: unknown = {}, type = 'Something'): StoredEvent {
  return { id: randomUUID(), type, version: 1, data, metadata: metadataAt(0) };
}

/** Makes the name of an unused stream. */
export function freshStream(): string {
  return `stream-${randomUUID()}`;
}
