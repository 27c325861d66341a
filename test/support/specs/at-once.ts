import type { InParts } from '../../../src/features/usage/domain/in-parts.js';

/** Does all parts of some work in one turn of the event loop. */
export function atOnce<Result>(work: InParts<Result>): Result {
  for (;;) {
    const part = work.next();
    if (part.done === true) return part.value;
  }
}
