import { type DescribedRefusal, withHeaders } from '../http/openapi.js';
import { ERROR_TABLE } from '../http/error-table.js';
import type { LimitName } from './request-limit.js';

/** The 429 of a limit whose answers all say what is left. */
export function rateLimited(limit: LimitName): DescribedRefusal {
  const code = 'rate-limited';
  return withHeaders({ ...ERROR_TABLE[code], code, metadata: { limit } }, 'Retry-After');
}

/** The 429 of an operation that changes something (docs/api.md 2.10). */
export const WRITES_REFUSAL = withHeaders(
  rateLimited('writes'),
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
);
