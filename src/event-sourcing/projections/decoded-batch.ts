import { type EventBatch, followersOf } from '../event-log/event-log.js';
import { type EventRegistry, UnreadableEventError } from '../event-log/event-registry.js';
import type { DomainEvent, Recorded } from '../../kernel/event.js';
import type { EventMetadata } from '../../kernel/metadata.js';
import type { Position } from '../../kernel/position.js';

export interface UnreadableEvent {
  readonly type: string;
  readonly position: Position;
  /** The account of the event; undefined when its metadata do not name one. */
  readonly accountId: string | undefined;
  readonly fault: UnreadableEventError;
}

/** A batch of the log, decoded once for all projections. None of them may change its events. */
export interface DecodedBatch {
  readonly events: readonly Recorded<DomainEvent>[];
  readonly unreadable: readonly UnreadableEvent[];
  /** The position at which each append of the batch ends. */
  readonly appends: readonly Position[];
  readonly reached: Position;
}

/** Decodes a batch into the current versions of its events, without those of unknown types. */
export function decodeBatch(batch: EventBatch, registry: EventRegistry): DecodedBatch {
  const read: Recorded<DomainEvent>[] = [];
  const unreadable: UnreadableEvent[] = [];
  const appends: Position[] = [];
  for (const event of batch.events) {
    if (followersOf(event) === 0) appends.push(event.position);
    try {
      const current = registry.decode(event);
      if (current) read.push(current);
    } catch (fault) {
      if (!(fault instanceof UnreadableEventError)) throw fault;
      const { type, position, metadata } = event;
      unreadable.push({ type, position, accountId: accountIn(metadata), fault });
    }
  }
  return { events: read, unreadable, appends, reached: batch.reached };
}

/** Returns the part of a batch after a position and up to another. An append ends at each. */
export function partOfBatch(batch: DecodedBatch, after: Position, end: Position): DecodedBatch {
  const isWithin = (position: Position): boolean => position > after && position <= end;
  return {
    events: batch.events.filter(({ position }) => isWithin(position)),
    unreadable: batch.unreadable.filter(({ position }) => isWithin(position)),
    appends: batch.appends.filter(isWithin),
    reached: end < batch.reached ? end : batch.reached,
  };
}

function accountIn(metadata: unknown): string | undefined {
  const account = (metadata as Partial<EventMetadata> | null)?.account_id;
  return typeof account === 'string' ? account : undefined;
}
