import { v7 } from 'uuid';

/**
 * An id for a new event: a UUID of version 7. These are in the order of time, so the next id stands beside the last one in an
 * index.
 */
export function newEventId(): string {
  return v7();
}
