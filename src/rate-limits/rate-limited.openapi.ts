import { type DescribedRefusal, withHeaders } from '../http/described-refusals.js';
import { ERROR_TABLE } from '../http/error-table.js';
import type { LimitName } from './request-limit.js';

/** Describes the 429 of a limit, without the `RateLimit-` headers that the operation describes for all answers. */
export function rateLimited(limit: LimitName): DescribedRefusal {
  const code = 'rate-limited';
  return withHeaders({ ...ERROR_TABLE[code], code, metadata: { limit } }, 'Retry-After');
}

/** The description of the refusal when a decision meets too many conflicts (docs/api.md 6.2). */
export const TOO_MANY_WRITERS = withHeaders('too-many-writers', 'Retry-After');

/** The descriptions of the refusals that all changing operations share (docs/api.md 2.10, 6.2). */
export const WRITE_REFUSALS: readonly DescribedRefusal[] = [
  withHeaders(
    rateLimited('writes'),
    'Retry-After',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
  ),
  TOO_MANY_WRITERS,
  withHeaders('change-too-large'),
];
