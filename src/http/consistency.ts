import type { ApiHeaderOptions } from '@nestjs/swagger';
import type { Request } from 'express';
import { Refusal } from '../kernel/errors.js';

/** The request header that asks for an answer up to date with the head of the log (docs/api.md 12.3). */
export const CONSISTENCY_HEADER = 'Keyledger-Consistency';

/** The OpenAPI description of the request header `Keyledger-Consistency`. */
export const STRONG_CONSISTENCY = {
  name: CONSISTENCY_HEADER,
  description: 'The answer waits for everything that was stored before the request.',
  schema: { type: 'string', enum: ['strong'] },
} satisfies ApiHeaderOptions;

/** Whether a request waits for the head of the log. @throws Refusal for a header that is repeated or not `strong`. */
export function isStrong({ headersDistinct }: Request): boolean {
  const given = headersDistinct[CONSISTENCY_HEADER.toLowerCase()];
  if (given === undefined) return false;
  if (given.length === 1 && given[0] === 'strong') return true;
  throw new Refusal('request-invalid', {
    issues: [{ path: CONSISTENCY_HEADER, message: 'must be given once, as strong' }],
  });
}
