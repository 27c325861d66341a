import type { EventIndex } from './event-index.js';
import type { RecentIds } from './recent-ids.js';
import type { StoredEvent } from './stored-event.js';

export type ExpectedRevision = number | 'any' | 'no-stream' | 'stream-exists';

/** `repeat`: the events are stored already, and `last` is the last of them. */
export type Verdict =
  | { readonly kind: 'write' }
  | { readonly kind: 'repeat'; readonly last: StoredEvent }
  | { readonly kind: 'wrong-revision' }
  | { readonly kind: 'deleted' };

const WRITE: Verdict = { kind: 'write' };
const WRONG_REVISION: Verdict = { kind: 'wrong-revision' };
const DELETED: Verdict = { kind: 'deleted' };

/** Judges an append like the server, which compares the ids and their order, and never the data. */
export function checkAppend(
  index: EventIndex,
  recent: RecentIds,
  name: string,
  expected: ExpectedRevision,
  ids: readonly string[],
): Verdict {
  const stream = index.stream(name);
  if (stream.tombstoned) return DELETED;
  if (expected === 'stream-exists') {
    if (stream.isSoftDeleted) return DELETED;
    if (stream.lastRevision < 0 && !index.hasMetadata(name)) return WRONG_REVISION;
  }
  if (expected === 'any' || expected === 'stream-exists') {
    return compare(ids, (id) => recent.find(id, name)) ?? WRITE;
  }
  const last = expected === 'no-stream' ? -1 : expected;
  if (last > stream.lastRevision) return WRONG_REVISION;
  if (last === stream.lastRevision) return WRITE;
  const stored = compare(ids, (id, place) => {
    const event = stream.events[last + 1 + place];
    return event?.id === id ? event : undefined;
  });
  if (stored !== undefined) return stored;
  return expected === 'no-stream' && stream.isSoftDeleted ? WRITE : WRONG_REVISION;
}

/** All events found: a repeat. Only the first ones found: a conflict. None found: no judgement. */
function compare(
  ids: readonly string[],
  find: (id: string, place: number) => StoredEvent | undefined,
): Verdict | undefined {
  let last: StoredEvent | undefined;
  for (const [place, id] of ids.entries()) {
    const found = find(id, place);
    if (found === undefined) return last === undefined ? undefined : WRONG_REVISION;
    last = found;
  }
  return last === undefined ? undefined : { kind: 'repeat', last };
}
