import type { Type } from '@nestjs/common';
import { type ApiResponseSchemaHost, getSchemaPath } from '@nestjs/swagger';

// Imported as a whole, as `answer`.

export type OpenApiSchema = ApiResponseSchemaHost['schema'];

type Properties = Readonly<Record<string, OpenApiSchema>>;

/** The description of the successful answer of an operation. */
export interface Answer {
  /** Default 200. */
  readonly status?: number;
  /** The status when the same was done before. The body is the same. */
  readonly repeated?: number;
  /** The schema of the body. An answer without a body has none. */
  readonly schema?: OpenApiSchema;
  readonly models?: readonly Type[];
}

/** Describes an answer with one record. @param beside the schemas of fields beside the record. */
export function one(shape: Type, status = 200, beside: Properties = {}): Answer {
  return { status, ...object({ data: refTo(shape), ...beside }), models: [shape] };
}

/** Describes an answer with records and their number. @param first which ones come by default. */
export function page(shape: Type, first = ''): Answer {
  const description = `${first} The exact number of all records that match.`.trim();
  return list(shape, { total_count: { type: 'integer', minimum: 0, description } });
}

/** Describes an answer with records. @param beside the schemas of fields beside them. */
export function list(shape: Type, beside: Properties): Answer {
  const data = { type: 'array', items: refTo(shape), description: 'The records.' };
  return { ...object({ data, ...beside }), models: [shape] };
}

export const NEXT_CURSOR = {
  type: 'string',
  nullable: true,
  description: 'Cursor of the next page; null after the last one.',
};

/** Said in words, because clients are generated wrongly for two media types of one status. */
export const STREAMED =
  'With `Accept: application/x-ndjson` the answer is a stream of all records that match, one JSON object per line.';

export function object(properties: Properties): Answer {
  return { schema: { type: 'object', required: Object.keys(properties), properties } };
}

export const KEY_STRING = { type: 'string', description: 'The key string, shown only once.' };

export const DELETED = object({ deleted: { type: 'boolean', description: 'Always true.' } });

export function bare(shape: Type): Answer {
  return { schema: refTo(shape), models: [shape] };
}

function refTo(shape: Type): OpenApiSchema {
  return { $ref: getSchemaPath(shape) };
}
