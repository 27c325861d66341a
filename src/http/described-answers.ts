import type { Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import type { DescribedHeader } from './described-headers.js';
import { fieldRefusal } from './described-refusals.js';
import type { DescribedSuccess } from './openapi.js';

/** The sentence in the description of each operation that reads its own writes (docs/api.md 6.3). */
export const INCLUDES_EARLIER_WRITES =
  'The answer includes every write that was answered before the request.';

/** The class of a record, with an example. */
export interface DescribedRecord<Shape extends object> {
  readonly shape: Type<Shape>;
  readonly example: Shape;
}

/** Describes an answer with one record. */
export function recordAnswer<Shape extends object>(
  { shape, example }: DescribedRecord<Shape>,
  description: string,
  {
    status = 200,
    headers = [],
  }: { readonly status?: number; readonly headers?: readonly DescribedHeader[] } = {},
) {
  return {
    status,
    description,
    headers,
    models: [shape],
    schema: {
      type: 'object',
      required: ['data'],
      properties: { data: { $ref: getSchemaPath(shape), description } },
    },
    example: { data: example },
  } satisfies DescribedSuccess;
}

/** Describes an answer with a page of records and the count of all matching records. */
export function pageAnswer<Shape extends object>(
  { shape, example }: DescribedRecord<Shape>,
  description: string,
): DescribedSuccess {
  return {
    status: 200,
    description,
    headers: ['Keyledger-Stale'],
    models: [shape],
    schema: {
      type: 'object',
      required: ['data', 'total_count'],
      properties: {
        data: { type: 'array', items: { $ref: getSchemaPath(shape) }, description: 'The page.' },
        total_count: {
          type: 'integer',
          minimum: 0,
          description: 'The exact number of all matching records.',
        },
      },
    },
    example: { data: [example], total_count: 1 },
  };
}

/** Describes the answer to a deletion. */
export function deletedAnswer(description: string): DescribedSuccess {
  return {
    status: 200,
    description,
    schema: {
      type: 'object',
      required: ['deleted'],
      properties: { deleted: { type: 'boolean', description: 'Always true.' } },
    },
    example: { deleted: true },
  };
}

/** The description of the refusal of an invalid query parameter `limit`. */
export const LIMIT_REFUSAL = fieldRefusal(
  'request-invalid',
  'limit',
  'must be given once, as a whole number from 1 to 100 in plain decimal digits',
);
