import { hash as digest } from 'node:crypto';
import { configure } from 'safe-stable-stringify';
import type { ExpectedRevision, RecordedEvent, StoredEvent } from './event-log.js';

/** Serialises a JSON value in the form of RFC 8785, in a third of the time that a library for RFC 8785 takes. */
const canonicalize = configure({ circularValue: Error });

/** Whether an event matches its hash. An event that an earlier release wrote has no hash. */
export type HashCheck = 'absent' | 'right' | 'wrong';

/**
 * Returns the events of one append with the metadata that the log adds: how many events of the append follow, and the
 * hash. The hash reveals a corrupted event. It has no key, so it does not prove that nobody changed an event.
 * @param expected the revision of the stream before the append. The first event gets the next revision.
 */
export function sealed(
  stream: string,
  events: readonly StoredEvent[],
  expected: ExpectedRevision,
): StoredEvent[] {
  const first = expected === 'no-stream' ? 0 : expected + 1;
  return events.map((event, index) => {
    const more = events.length - 1 - index;
    const metadata = more > 0 ? { ...event.metadata, more_in_append: more } : event.metadata;
    const hash = hashOf({ ...event, stream, revision: first + index, metadata });
    return { ...event, metadata: { ...metadata, hash } };
  });
}

/** Compares an event with the hash in its metadata. */
export function checkHash(event: RecordedEvent): HashCheck {
  const { hash, ...metadata } = event.metadata;
  if (hash === undefined) return 'absent';
  return hash === hashOf({ ...event, metadata }) ? 'right' : 'wrong';
}

/** Returns the SHA-256 of an event in the form of RFC 8785, which does not depend on the order of fields. */
function hashOf(event: Omit<RecordedEvent, 'position'>): string {
  const { id, stream, revision, type, version, data, metadata } = event;
  const text = canonicalize({ id, stream, revision, type, version, data, metadata });
  return digest('sha256', text ?? '', 'hex');
}
