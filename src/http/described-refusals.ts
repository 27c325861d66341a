import type { Quota, RefusalCode } from '../kernel/errors.js';
import type { DescribedHeader } from './described-headers.js';
import { ERROR_TABLE } from './error-table.js';
import { NOT_DECODABLE } from './query-string.js';

/** An error of the OpenAPI document. */
export interface DescribedError {
  readonly status: number;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly headers?: readonly DescribedHeader[];
}

export type DescribedRefusal = DescribedError & { readonly code: RefusalCode };

/** A refusal with details of its own. */
export function refusal(
  code: RefusalCode,
  metadata: Readonly<Record<string, unknown>>,
): DescribedRefusal {
  return { ...ERROR_TABLE[code], code, metadata };
}

/** A refusal that names a field. @param path of the field in the request. */
export function fieldRefusal(code: RefusalCode, path: string, message: string): DescribedRefusal {
  return refusal(code, { issues: [{ path, message }] });
}

/** A refusal by a quota. @param limit the default of the quota. */
export function quotaRefusal(quota: Quota, limit: number): DescribedRefusal {
  return refusal('quota-exceeded', { quota, limit });
}

/** The refusal of a path with a parameter whose percent-encoding does not decode. */
export function undecodable(parameter: string): DescribedRefusal {
  return fieldRefusal('request-invalid', parameter, NOT_DECODABLE);
}

/** A refusal that has headers of its own. */
export function withHeaders(
  refused: RefusalCode | DescribedRefusal,
  ...headers: DescribedHeader[]
): DescribedRefusal {
  const described =
    typeof refused === 'string' ? { ...ERROR_TABLE[refused], code: refused } : refused;
  return { ...described, headers };
}
