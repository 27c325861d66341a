import type { Quota, RefusalCode } from '../kernel/errors.js';
import type { DescribedHeader } from './described-headers.js';
import { ERROR_TABLE } from './error-table.js';
import { NOT_DECODABLE } from './query-string.js';

/** An error as the OpenAPI document describes it. */
export interface DescribedError {
  readonly status: number;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly headers?: readonly DescribedHeader[];
}

export type DescribedRefusal = DescribedError & { readonly code: RefusalCode };

/** Describes a refusal whose answer has the given metadata. */
export function refusal(
  code: RefusalCode,
  metadata: Readonly<Record<string, unknown>>,
): DescribedRefusal {
  return { ...ERROR_TABLE[code], code, metadata };
}

/** Describes a refusal that names a field. @param path the path of the field in the request. */
export function fieldRefusal(code: RefusalCode, path: string, message: string): DescribedRefusal {
  return refusal(code, { issues: [{ path, message }] });
}

/** Describes the refusal of a change that exceeds a quota. @param limit the default maximum of the quota. */
export function quotaRefusal(quota: Quota, limit: number): DescribedRefusal {
  return refusal('quota-exceeded', { quota, limit });
}

/** Describes the refusal of a path parameter whose percent-encoding does not decode. */
export function undecodable(parameter: string): DescribedRefusal {
  return fieldRefusal('request-invalid', parameter, NOT_DECODABLE);
}

/** Describes a refusal whose answer has the given headers. */
export function withHeaders(
  refused: RefusalCode | DescribedRefusal,
  ...headers: DescribedHeader[]
): DescribedRefusal {
  const described =
    typeof refused === 'string' ? { ...ERROR_TABLE[refused], code: refused } : refused;
  return { ...described, headers };
}
