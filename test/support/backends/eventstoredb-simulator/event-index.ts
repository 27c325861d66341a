import { TOMBSTONE_TYPE, type StoredEvent } from './stored-event.js';

/** A stream: its events by revision, and whether it is deleted for good. */
export interface Stream {
  readonly events: StoredEvent[];
  tombstoned: boolean;
}

/** All committed events, in memory. */
export class EventIndex {
  readonly all: StoredEvent[] = [];
  private readonly streams = new Map<string, Stream>();

  add(event: StoredEvent): void {
    this.all.push(event);
    const stream = this.stream(event.stream);
    if (event.type === TOMBSTONE_TYPE) stream.tombstoned = true;
    else stream.events.push(event);
  }

  stream(name: string): Stream {
    const known = this.streams.get(name);
    if (known !== undefined) return known;
    const stream = { events: [], tombstoned: false };
    this.streams.set(name, stream);
    return stream;
  }

  /** Gives the index in `all` of the first event at or after a position. */
  placeOf(position: number): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.all[middle]?.position ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Whether a read can begin at a position: at an event, before the first event, or beyond the
   * last.
   */
  canReadFrom(position: number): boolean {
    const last = this.all.at(-1);
    if (last === undefined || position === 0 || position > last.position + last.bytes.length)
      return true;
    return this.all[this.placeOf(position)]?.position === position;
  }
}
