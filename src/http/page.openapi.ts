import { fieldRefusal, type OperationDescription } from './openapi.js';

/** A page of a list in the document. @param schema name of the schema of its records. */
export function describedPage(
  description: string,
  schema: string,
  example: object,
): OperationDescription['success'] {
  return {
    status: 200,
    description,
    schema: {
      type: 'object',
      required: ['data', 'total_count'],
      properties: {
        data: { type: 'array', items: { $ref: `#/components/schemas/${schema}` } },
        total_count: { type: 'integer', minimum: 0 },
      },
    },
    example: { data: [example], total_count: 1 },
    headers: ['X-Log-Position'],
  };
}

/** What a page of a wrong length is told. */
export const LIMIT_REFUSAL = fieldRefusal(
  'request-invalid',
  'limit',
  'must be given once, as a whole number from 1 to 100 in plain decimal digits',
);
