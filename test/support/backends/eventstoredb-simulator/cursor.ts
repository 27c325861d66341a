import { status } from '@grpc/grpc-js';
import type { EventIndex, LogPosition } from './event-index.js';
import { Refusal, streamDeleted } from './refusal.js';
import type { StoredEvent } from './stored-event.js';

/** Gives the next event; undefined at the end. After the end it gives later events. */
export type Cursor = () => StoredEvent | undefined;

export function allForwards({ all }: EventIndex, first: number): Cursor {
  let next = first;
  return () => {
    const event = all[next];
    if (event !== undefined) next += 1;
    return event;
  };
}

/** Begins before the given place. */
export function allBackwards({ all }: EventIndex, end: number): Cursor {
  let next = end;
  return () => {
    next -= 1;
    return all[next];
  };
}

export function streamForwards(index: EventIndex, name: string, first: number): Cursor {
  const stream = index.stream(name);
  let next = first;
  return () => {
    next = Math.max(next, Math.min(stream.firstRevision, stream.events.length));
    const event = stream.events[next];
    if (event !== undefined) next += 1;
    else if (stream.tombstoned) throw streamDeleted(name);
    return event;
  };
}

export function streamBackwards(index: EventIndex, name: string, last: number): Cursor {
  const stream = index.stream(name);
  let next = Math.min(last, stream.lastRevision) + 1;
  return () => {
    next -= 1;
    return next >= stream.firstRevision ? stream.events[next] : undefined;
  };
}

/** The server's answer to a position without an event. */
export function requireReadable(index: EventIndex, position: LogPosition, refusal: Refusal): void {
  if (!index.canReadFrom(position)) throw refusal;
}

export function invalidReadPosition(): Refusal {
  return new Refusal(status.UNKNOWN, 'Unexpected ReadAllResult: InvalidPosition');
}

export function invalidSubscriptionPosition(): Refusal {
  return new Refusal(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');
}
