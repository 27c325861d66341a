import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES = 16;
const pool = new Uint8Array(256 * BYTES);
let used = pool.length;

/**
 * An id for a new event: a UUID of version 7, in the order of time to the millisecond, so that in an index of ids the next
 * one is beside the last and not on a page of its own.
 */
export function newEventId(): string {
  return v7({ rng });
}

/** Random bytes in advance: asking the system for so few at a time costs more than all the rest of an id. */
function rng(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const start = used;
  used += BYTES;
  return pool.subarray(start, used);
}
