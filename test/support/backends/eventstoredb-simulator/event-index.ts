import { dataOf, METADATA_TYPE, TOMBSTONE_TYPE, type StoredEvent } from './stored-event.js';
import { parseMetadata, StreamState } from './stream-state.js';

const METASTREAM = '$$';

/** Commit and prepare position. For an event both are equal; for a checkpoint they may differ. */
export interface LogPosition {
  readonly commit: number;
  readonly prepare: number;
}

/** All committed events, in memory. */
export class EventIndex {
  readonly all: StoredEvent[] = [];
  private readonly streams = new Map<string, StreamState>();

  add(event: StoredEvent): void {
    this.all.push(event);
    const state = this.stream(event.stream);
    if (event.type === TOMBSTONE_TYPE) state.tombstoned = true;
    else state.events.push(event);
    if (event.type === METADATA_TYPE && event.stream.startsWith(METASTREAM)) {
      this.stream(event.stream.slice(METASTREAM.length)).metadata = parseMetadata(dataOf(event));
    }
  }

  stream(name: string): StreamState {
    const known = this.streams.get(name);
    if (known !== undefined) return known;
    const state = new StreamState();
    this.streams.set(name, state);
    return state;
  }

  hasMetadata(stream: string): boolean {
    return this.stream(metastreamOf(stream)).lastRevision >= 0;
  }

  /** Gives the index in `all` of the first event at or after a position. */
  placeOf(asked: LogPosition): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.all[middle]?.position ?? 0, asked) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether a read can begin at a position: at an event, before the first event, or beyond the last. */
  canReadFrom({ commit }: LogPosition): boolean {
    const last = this.all.at(-1);
    if (last === undefined || commit === 0 || commit > last.position + last.bytes.length)
      return true;
    return this.all[this.placeOf({ commit, prepare: commit })]?.position === commit;
  }
}

/** Compares an event with a position: negative when the event is before it. */
export function compare(event: number, { commit, prepare }: LogPosition): number {
  return event === commit ? event - prepare : event - commit;
}

export function metastreamOf(stream: string): string {
  return METASTREAM + stream;
}
