import { createdAt, type StoredEvent } from './stored-event.js';

/** The value of `$tb` in the metadata of a soft-deleted stream: 2^63 - 1, as near as a number can be. */
const SOFT_DELETED = 2 ** 63;

interface StreamMetadata {
  readonly $maxCount?: number;
  readonly $maxAge?: number;
  readonly $tb?: number;
}

/** A stream: its events by revision, the events that its metadata hides, and whether it is deleted for good. */
export class StreamState {
  readonly events: StoredEvent[] = [];
  metadata: StreamMetadata = {};
  tombstoned = false;

  /** The revision of the last event, hidden or not; -1 without events. */
  get lastRevision(): number {
    return this.events.length - 1;
  }

  get isSoftDeleted(): boolean {
    return this.metadata.$tb === SOFT_DELETED;
  }

  /** The revision of the first visible event; beyond the last event when all are hidden. */
  get firstRevision(): number {
    const { $maxCount, $maxAge, $tb = 0 } = this.metadata;
    let first = Math.max($tb, $maxCount === undefined ? 0 : this.events.length - $maxCount);
    if ($maxAge === undefined) return first;
    const oldest = Date.now() - $maxAge * 1_000;
    for (let event = this.events[first]; event !== undefined; event = this.events[first]) {
      if (createdAt(event) >= oldest) break;
      first += 1;
    }
    return first;
  }
}

export function parseMetadata(json: string): StreamMetadata {
  return JSON.parse(json) as StreamMetadata;
}
