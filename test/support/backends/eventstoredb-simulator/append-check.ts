import type { Stream } from './event-index.js';
import type { StoredEvent } from './stored-event.js';

export type ExpectedRevision = number | 'any' | 'no-stream';

/**
 * The result of a write. `current` is the revision of the stream's last event; -1 without a stream.
 */
export type WriteOutcome =
  | { readonly kind: 'written'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong-revision'; readonly current: number }
  | { readonly kind: 'deleted' };

/**
 * Judges an append like the server, which compares the ids and their order, and never the data.
 * Unlike the server, it compares nothing where any revision will do.
 * @returns undefined when the events are to be written; the earlier outcome when they are stored
 * already.
 */
export function checkAppend(
  { events, tombstoned }: Stream,
  expected: ExpectedRevision,
  ids: readonly string[],
): WriteOutcome | undefined {
  if (tombstoned) return { kind: 'deleted' };
  if (expected === 'any') return undefined;
  const next = expected === 'no-stream' ? 0 : expected + 1;
  if (next === events.length) return undefined;
  const stored = events.slice(next, next + ids.length);
  const last = stored.at(-1);
  if (last !== undefined && ids.every((id, place) => stored[place]?.id === id))
    return written(last);
  return { kind: 'wrong-revision', current: events.length - 1 };
}

export function written({ revision, position }: StoredEvent): WriteOutcome {
  return { kind: 'written', revision, position };
}
