import { type DescribedRefusal, withHeaders } from '../http/described-refusals.js';
import { ERROR_TABLE } from '../http/error-table.js';
import type { LimitName } from './request-limit.js';

/** The 429 of a limit whose answers all say what is left. */
export function rateLimited(limit: LimitName): DescribedRefusal {
  const code = 'rate-limited';
  return withHeaders({ ...ERROR_TABLE[code], code, metadata: { limit } }, 'Retry-After');
}

/** That others change the same object without end (docs/api.md 6.2). */
export const TOO_MANY_WRITERS = withHeaders('too-many-writers', 'Retry-After');

/** What every operation that changes something can refuse (docs/api.md 2.10, 6.2). */
export const WRITE_REFUSALS: readonly DescribedRefusal[] = [
  withHeaders(
    rateLimited('writes'),
    'Retry-After',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
  ),
  TOO_MANY_WRITERS,
];
