import { type ErrorBody, errorBody } from '../../edge/http/answers/error-body.js';
import { FAULT_TABLE } from '../../edge/http/answers/error-table.js';

/** Makes the body of `/health/ready` while the service is not ready (docs/operations/process.md). */
export function notReady(
  missing: readonly { readonly part: string; readonly problem: string }[],
  requestId: string | undefined,
): ErrorBody {
  const answer = { reason: 'not-ready', ...FAULT_TABLE['not-ready'] };
  return errorBody(answer, { metadata: { missing }, requestId });
}
