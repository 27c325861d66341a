import type { StoredEvent } from './stored-event.js';

const MAX_BYTES = 8 * 1024 * 1024;

/**
 * The ids of the last events written since the start. An append without an expected revision is compared with these
 * only.
 */
export class RecentIds {
  private readonly events = new Map<string, StoredEvent>();
  private bytes = 0;

  add(event: StoredEvent): void {
    this.remove(this.events.get(event.id));
    this.events.set(event.id, event);
    this.bytes += costOf(event);
    for (const oldest of this.events.values()) {
      if (this.bytes <= MAX_BYTES) break;
      this.remove(oldest);
    }
  }

  find(id: string, stream: string): StoredEvent | undefined {
    const event = this.events.get(id);
    return event?.stream === stream ? event : undefined;
  }

  private remove(event: StoredEvent | undefined): void {
    if (event === undefined) return;
    this.events.delete(event.id);
    this.bytes -= costOf(event);
  }
}

/** The size that the server counts for an entry. */
function costOf({ stream }: StoredEvent): number {
  return 28 + 2 * stream.length;
}
