import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiDefaultResponse,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  type ApiResponseOptions,
  type ApiResponseSchemaHost,
  getSchemaPath,
} from '@nestjs/swagger';
import { NDJSON } from '../answers/ndjson.js';

export type OpenApiSchema = ApiResponseSchemaHost['schema'];

type Properties = Readonly<Record<string, OpenApiSchema>>;

/** The description of the successful answer of an operation. */
interface Answer {
  /** Default 200. */
  readonly status?: number;
  /** The status when the same was done before. The body is the same. */
  readonly repeated?: number;
  /** The schema of the body by media type. An answer without a body has none. */
  readonly content?: NonNullable<ApiResponseOptions['content']>;
  readonly models?: readonly Type[];
}

/** The one description of all errors. The schema `Error` lists the reasons. */
export const ERROR_ANSWER = {
  description: 'The request failed; `error.metadata.reason` says why (docs/api.md 7).',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** Describes an operation of the OpenAPI document. Its name for clients is `id`. */
export function Operation(id: string, summary: string, answer: Answer): MethodDecorator {
  const { status = 200, repeated, content, models = [] } = answer;
  const body = content && { content };
  return applyDecorators(
    ApiBearerAuth(),
    ApiOperation({ operationId: id, summary }),
    ApiExtraModels(...models),
    ApiResponse({ status, description: 'Done.', ...body }),
    ...(repeated === undefined
      ? []
      : [ApiResponse({ status: repeated, description: 'The same was done before.', ...body })]),
    ApiDefaultResponse(ERROR_ANSWER),
  );
}

/** Describes an answer with one record. @param beside the schemas of fields beside the record. */
export function one(shape: Type, status = 200, beside: Properties = {}): Answer {
  return { status, ...object({ data: refTo(shape), ...beside }), models: [shape] };
}

const TOTAL_COUNT = {
  type: 'integer',
  minimum: 0,
  description: 'The exact number of all records that match.',
};

/** Describes an answer with records. @param beside the schemas of fields beside them. */
export function page(shape: Type, beside: Properties = { total_count: TOTAL_COUNT }): Answer {
  const data = { type: 'array', items: refTo(shape), description: 'The records.' };
  return { ...object({ data, ...beside }), models: [shape] };
}

const NEXT_CURSOR = {
  type: 'string',
  nullable: true,
  description: 'Cursor of the next page; null after the last one.',
};

/** Describes an answer with records, which are pages with a cursor or a stream of all of them. */
export function pageOrStream(shape: Type): Answer {
  const { content, ...rest } = page(shape, { next_cursor: NEXT_CURSOR });
  return { ...rest, content: { ...content, [NDJSON]: { schema: { type: 'string' } } } };
}

/** Describes an answer that always has the given fields. */
export function object(properties: Properties): Answer {
  return json({ type: 'object', required: Object.keys(properties), properties });
}

export const DELETED = object({ deleted: { type: 'boolean', description: 'Always true.' } });

/** Describes an answer that is nothing but a record. */
export function bare(shape: Type): Answer {
  return { ...json(refTo(shape)), models: [shape] };
}

function json(schema: OpenApiSchema): Answer {
  return { content: { 'application/json': { schema } } };
}

function refTo(shape: Type): OpenApiSchema {
  return { $ref: getSchemaPath(shape) };
}
