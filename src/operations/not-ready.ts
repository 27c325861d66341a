import { type ErrorBody, errorBody } from '../http/error-body.js';
import { FAULT_TABLE } from '../http/error-table.js';

/** The body of `/health/ready` while something is missing (docs/api.md 8.3). */
export function notReady(
  missing: readonly { readonly part: string; readonly problem: string }[],
  requestId: string | undefined,
): ErrorBody {
  const told = { reason: 'not-ready', ...FAULT_TABLE['not-ready'] };
  return errorBody(told, { metadata: { missing }, requestId });
}
