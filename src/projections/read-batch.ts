import type { EventBatch } from '../event-log/event-log.js';
import { type EventRegistry, UnreadableEventError } from '../event-log/event-registry.js';
import type { DomainEvent, Recorded } from '../kernel/event.js';
import type { Position } from '../kernel/position.js';

/** What can be read of a batch. */
interface ReadBatch {
  readonly events: readonly Recorded<DomainEvent>[];
  /** Undefined when its first event cannot be read. */
  readonly reached: Position | undefined;
  readonly fault?: UnreadableEventError;
}

/** The events of a batch in their current versions, up to the first that cannot be read. */
export function readBatch({ events, reached }: EventBatch, registry: EventRegistry): ReadBatch {
  const read: Recorded<DomainEvent>[] = [];
  let before: Position | undefined;
  for (const event of events) {
    try {
      const current = registry.decode(event);
      if (current) read.push(current);
    } catch (fault) {
      if (!(fault instanceof UnreadableEventError)) throw fault;
      return { events: read, reached: before, fault };
    }
    before = event.position;
  }
  return { events: read, reached };
}

/** A batch without the events behind a position. */
export function cutOff(batch: EventBatch, upTo: Position): EventBatch {
  if (batch.reached <= upTo) return batch;
  return { events: batch.events.filter(({ position }) => position <= upTo), reached: upTo };
}
