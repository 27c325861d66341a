import { status } from '@grpc/grpc-js';
import type { EventIndex } from './event-index.js';
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
    const event = stream.events[next];
    if (event !== undefined) next += 1;
    else if (stream.tombstoned) throw streamDeleted(name);
    return event;
  };
}

/** The server's answer to a position without an event. */
export function requireReadable(index: EventIndex, position: number, refusal: Refusal): void {
  if (!index.canReadFrom(position)) throw refusal;
}

export function invalidReadPosition(): Refusal {
  return new Refusal(status.UNKNOWN, 'Unexpected ReadAllResult: InvalidPosition');
}

export function invalidSubscriptionPosition(): Refusal {
  return new Refusal(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');
}
