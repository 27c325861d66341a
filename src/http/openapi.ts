import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiOperation,
  ApiResponse,
  type ApiResponseOptions,
  type ApiResponseSchemaHost,
  ApiTags,
} from '@nestjs/swagger';
import type { Quota, RefusalCode } from '../kernel/errors.js';
import { type DescribedHeader, headersOf, headersOfAny } from './described-headers.js';
import { errorBody } from './error-body.js';
import { ERROR_TABLE, FAULT_TABLE, REASONS } from './error-table.js';
import { BODY_LIMIT_BYTES } from './json-body.interceptor.js';
import { NOT_DECODABLE } from './query-string.js';

type ContentObject = NonNullable<ApiResponseOptions['content']>;

/** A JSON Schema of the OpenAPI document. */
export type OpenApiSchema = ApiResponseSchemaHost['schema'];

interface DescribedError {
  readonly status: number;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly headers?: readonly DescribedHeader[];
}

export type DescribedRefusal = DescribedError & { readonly code: RefusalCode };

export interface OperationDescription {
  /** What it is about, under which the page lists it. */
  readonly tag: 'Keys' | 'End users' | 'Workspaces' | 'Audit trail';
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** Which keys it takes; management keys alone when absent. */
  readonly keys?: 'management' | 'any';
  readonly request?: {
    readonly shape: Type;
    /** Bodies by what they show. */
    readonly examples: Readonly<Record<string, object>>;
  };
  readonly success: {
    readonly status: number;
    readonly description: string;
    /** Absent, as the example then is, where there is no body. */
    readonly schema?: OpenApiSchema;
    readonly example?: unknown;
    /** Another form of the body, for those who would rather have it. */
    readonly also?: {
      readonly type: string;
      readonly schema: OpenApiSchema;
      readonly example: unknown;
    };
    readonly headers?: readonly DescribedHeader[];
  };
  /** Headers of every answer, faults included, but for 401 and 403, which authentication gives before they are known. */
  readonly headers?: readonly DescribedHeader[];
  /** The refusals of the operation's own; those of authentication are added. */
  readonly refusals: readonly (RefusalCode | DescribedRefusal)[];
}

/** What authentication refuses before a caller is known, whatever keys an operation takes. */
const UNKNOWN_CALLER: readonly (RefusalCode | DescribedRefusal)[] = [
  'authentication-missing',
  'authentication-malformed',
  'key-invalid',
  withHeaders('too-many-authentication-failures', 'Retry-After'),
];

/** What authentication refuses besides, by the keys that an operation takes: told to no user, too. */
const WRONG_KEY = {
  management: ['not-a-management-key'],
  any: ['key-disabled', 'key-expired'],
} as const satisfies Readonly<Record<string, readonly RefusalCode[]>>;

const FAULTS: Readonly<Record<string, DescribedError>> = {
  'internal-error': FAULT_TABLE['internal-error'],
  unavailable: { ...FAULT_TABLE.unavailable, headers: ['Retry-After'] },
  'event-unreadable': { ...FAULT_TABLE['event-unreadable'], headers: ['Retry-After'] },
};

/** Of refusals that always tell the same. */
const EXAMPLE_METADATA: Readonly<Partial<Record<string, Readonly<Record<string, unknown>>>>> = {
  'body-too-large': { limit_bytes: BODY_LIMIT_BYTES },
};

const EXAMPLE_REQUEST_ID = '7a1f6a0e-3c1d-4f7e-9a52-0b1c2d3e4f50';

const issueSchema: OpenApiSchema = {
  type: 'object',
  required: ['path', 'message'],
  properties: { path: { type: 'string' }, message: { type: 'string' } },
};

/** The schema of section 7 of docs/api.md, shared by every error of the document. */
export const errorSchema: OpenApiSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'metadata'],
      properties: {
        code: { type: 'integer', description: 'Equal to the HTTP status.' },
        message: { type: 'string' },
        metadata: {
          type: 'object',
          required: ['reason'],
          properties: {
            reason: {
              type: 'string',
              enum: [...REASONS],
              description: 'Which error it is: the slug stays, whatever the message says.',
            },
            issues: { type: 'array', items: issueSchema },
          },
          additionalProperties: true,
        },
      },
    },
    service_metadata: {
      type: 'object',
      nullable: true,
      properties: { request_id: { type: 'string' } },
    },
    user_id: { type: 'string', nullable: true },
  },
};

/** A refusal with the field at fault. @param path of the field in the request. */
export function fieldRefusal(code: RefusalCode, path: string, message: string): DescribedRefusal {
  return { ...ERROR_TABLE[code], code, metadata: { issues: [{ path, message }] } };
}

/** A refusal by a quota. @param limit its default. */
export function quotaRefusal(quota: Quota, limit: number): DescribedRefusal {
  return {
    ...ERROR_TABLE['quota-exceeded'],
    code: 'quota-exceeded',
    metadata: { quota, limit },
  };
}

/** That of a path with a parameter whose percent-encoding does not decode. */
export function undecodable(parameter: string): DescribedRefusal {
  return fieldRefusal('request-invalid', parameter, NOT_DECODABLE);
}

/** A refusal that has headers of its own. */
export function withHeaders(
  refusal: RefusalCode | DescribedRefusal,
  ...headers: DescribedHeader[]
): DescribedRefusal {
  const described =
    typeof refusal === 'string' ? { ...ERROR_TABLE[refusal], code: refusal } : refusal;
  return { ...described, headers };
}

/** Describes an operation with an example of every answer it can give. */
export function DescribeOperation(operation: OperationDescription): MethodDecorator {
  const { tag, id, summary, description, request, success, headers = [] } = operation;
  return applyDecorators(
    ApiTags(tag),
    ApiBearerAuth(),
    ApiOperation({ operationId: id, summary, description }),
    ...(request ? [ApiBody({ type: request.shape, examples: valuesOf(request.examples) })] : []),
    ApiResponse({
      status: success.status,
      description: success.description,
      headers: headersOf(['X-Request-Id', ...headers, ...(success.headers ?? [])]),
      ...(success.schema && {
        content: contentOf(success.schema, success),
      }),
    }),
    ...errorResponses(operation),
  );
}

function contentOf(
  schema: OpenApiSchema,
  { example, also }: OperationDescription['success'],
): ContentObject {
  return {
    'application/json': { schema, example },
    ...(also && { [also.type]: { schema: also.schema, example: also.example } }),
  };
}

function errorResponses({
  refusals,
  headers = [],
  keys = 'management',
}: OperationDescription): MethodDecorator[] {
  const errors = new Map<string, DescribedError>();
  const add = (
    all: readonly (RefusalCode | DescribedRefusal)[],
    own: readonly DescribedHeader[],
  ) => {
    for (const refusal of all) {
      const code = typeof refusal === 'string' ? refusal : refusal.code;
      const error = typeof refusal === 'string' ? ERROR_TABLE[refusal] : refusal;
      errors.set(code, withMore(error, own));
    }
  };
  add([...UNKNOWN_CALLER, ...WRONG_KEY[keys]], []);
  add(refusals, headers);
  for (const [code, fault] of Object.entries(FAULTS)) errors.set(code, withMore(fault, headers));
  const statuses = [...new Set([...errors.values()].map(({ status }) => status))].sort();
  return statuses.map((status) => {
    const ofStatus = [...errors].filter(([, error]) => error.status === status);
    return ApiResponse({
      status,
      description: ofStatus.map(([, { message }]) => message).join('. '),
      headers: headersOfAny(ofStatus.map(([, error]) => error.headers ?? [])),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: valuesOf(
            Object.fromEntries(ofStatus.map(([code, error]) => [code, exampleOf(code, error)])),
          ),
        },
      },
    });
  });
}

/** An error with the headers that it has besides its own. */
function withMore(error: DescribedError, operation: readonly DescribedHeader[]): DescribedError {
  const all: DescribedHeader[] = ['X-Request-Id', ...operation, ...(error.headers ?? [])];
  if (error.status === 401) all.push('WWW-Authenticate');
  return { ...error, headers: all };
}

function valuesOf(
  examples: Readonly<Record<string, object>>,
): Record<string, { summary: string; value: object }> {
  return Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [summary, { summary, value }]),
  );
}

function exampleOf(code: string, error: DescribedError): object {
  const anonymous = [...UNKNOWN_CALLER, ...Object.values(WRONG_KEY).flat()].some(
    (refusal) => (typeof refusal === 'string' ? refusal : refusal.code) === code,
  );
  return errorBody(
    { reason: code, ...error },
    {
      metadata: error.metadata ?? EXAMPLE_METADATA[code] ?? null,
      requestId: EXAMPLE_REQUEST_ID,
      userId: anonymous ? undefined : 'user-ada',
    },
  );
}
