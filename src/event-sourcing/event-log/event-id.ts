import { v7 } from 'uuid';

/**
 * Returns an id for a new event: a UUID of version 7. Such ids are ordered by time, so an index stores a new id beside
 * the last id.
 */
export function newEventId(): string {
  return v7();
}
