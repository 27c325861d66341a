import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiExtraModels,
  ApiOperation,
  ApiParam,
  ApiResponse,
  type ApiResponseOptions,
  type ApiResponseSchemaHost,
  ApiTags,
} from '@nestjs/swagger';
import type { RefusalCode } from '../kernel/errors.js';
import { type DescribedHeader, headersOf, headersOfAny } from './described-headers.js';
import { type DescribedError, type DescribedRefusal } from './described-refusals.js';
import { errorBody } from './error-body.js';
import { ERROR_TABLE, FAULT_TABLE } from './error-table.js';
import { MAX_DEPTH, MAX_VALUES } from './body-values.js';
import { BODY_LIMIT_BYTES } from './json-body.interceptor.js';

type ContentObject = NonNullable<ApiResponseOptions['content']>;

/** A JSON Schema of the OpenAPI document. */
export type OpenApiSchema = ApiResponseSchemaHost['schema'];

/** The description of the successful answer of an operation. */
export interface DescribedSuccess {
  readonly status: number;
  readonly description: string;
  /** The schema of the body. An answer without a body has neither schema nor example. */
  readonly schema?: OpenApiSchema;
  readonly example?: unknown;
  /** Classes that the schema refers to. */
  readonly models?: readonly Type[];
  /** Another media type of the body that a client may ask for. */
  readonly also?: {
    readonly type: string;
    readonly schema: OpenApiSchema;
    readonly example: unknown;
  };
  readonly headers?: readonly DescribedHeader[];
}

export interface OperationDescription {
  /** The heading of the operation on the docs page. */
  readonly tag: 'Keys' | 'Verification' | 'End users' | 'Workspaces' | 'Audit trail';
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** The kinds of keys that the operation accepts. Default `management`. */
  readonly keys?: 'management' | 'any';
  /** The description of each path parameter by name. */
  readonly path?: Readonly<Record<string, string>>;
  readonly request?: {
    readonly shape: Type;
    /** Example bodies by name. */
    readonly examples: Readonly<Record<string, object>>;
    /** Whether the body is a form. Default false, for JSON. */
    readonly isForm?: boolean;
  };
  readonly success: DescribedSuccess;
  /** Headers of every answer except refusals of authentication, which come before the headers are set. */
  readonly headers?: readonly DescribedHeader[];
  /** The refusals by the operation itself. `DescribeOperation` adds the refusals of authentication and of bodies. */
  readonly refusals: readonly (RefusalCode | DescribedRefusal)[];
}

/** The refusals of authentication before a caller is known. */
const UNKNOWN_CALLER: readonly (RefusalCode | DescribedRefusal)[] = [
  'authentication-missing',
  'authentication-malformed',
  'key-invalid',
];

/** The refusals of a known key that an operation does not accept, by the operation's `keys`. None names a user. */
const WRONG_KEY = {
  management: ['not-a-management-key'],
  any: ['key-disabled', 'key-expired'],
} as const satisfies Readonly<Record<string, readonly RefusalCode[]>>;

/** The refusals of every operation that accepts a body. */
const BODY_REFUSALS: readonly RefusalCode[] = [
  'body-too-large',
  'charset-unsupported',
  'encoding-unsupported',
];

/** The faults that can occur in every operation. */
export const FAULTS: Readonly<Record<string, DescribedError>> = {
  'internal-error': FAULT_TABLE['internal-error'],
  unavailable: { ...FAULT_TABLE.unavailable, headers: ['Retry-After'] },
  'event-unreadable': { ...FAULT_TABLE['event-unreadable'], headers: ['Retry-After'] },
};

/** The metadata of refusals whose metadata never varies. */
const EXAMPLE_METADATA: Readonly<Partial<Record<string, Readonly<Record<string, unknown>>>>> = {
  'body-too-large': { limit_bytes: BODY_LIMIT_BYTES },
  'body-too-complex': { max_depth: MAX_DEPTH, max_values: MAX_VALUES },
  'change-too-large': { limit_bytes: 1_048_576 },
};

const EXAMPLE_REQUEST_ID = '7a1f6a0e-3c1d-4f7e-9a52-0b1c2d3e4f50';

/** Describes an operation of the OpenAPI document, with an example of every answer. */
export function DescribeOperation(operation: OperationDescription): MethodDecorator {
  const { tag, id, summary, description, path = {}, request, success, headers = [] } = operation;
  return applyDecorators(
    ApiTags(tag),
    ApiBearerAuth(),
    ApiOperation({ operationId: id, summary, description }),
    ApiExtraModels(...(success.models ?? [])),
    ...Object.entries(path).map(([name, says]) => ApiParam({ name, description: says })),
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

function contentOf(schema: OpenApiSchema, { example, also }: DescribedSuccess): ContentObject {
  return {
    'application/json': { schema, example },
    ...(also && { [also.type]: { schema: also.schema, example: also.example } }),
  };
}

/** The description of all error answers that have the same status. */
interface DescribedErrorAnswer {
  readonly status: number;
  readonly description: string;
  readonly headers: ReturnType<typeof headersOfAny>;
  readonly content: ContentObject;
}

function errorResponses({
  refusals,
  request,
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
  if (request) add(BODY_REFUSALS, headers);
  if (request && request.isForm !== true) add(['body-too-complex'], headers);
  add(refusals, headers);
  for (const [code, fault] of Object.entries(FAULTS)) errors.set(code, withMore(fault, headers));
  const anonymous = [...UNKNOWN_CALLER, ...Object.values(WRONG_KEY).flat()].map((refusal) =>
    typeof refusal === 'string' ? refusal : refusal.code,
  );
  const userOf = (code: string) =>
    anonymous.some((other) => other === code) ? undefined : 'user-ada';
  return describedErrors([...errors], userOf).map((response) => ApiResponse(response));
}

/**
 * Describes error answers, with one description for each status.
 * @param errors the errors, each with its code. A code may have several statuses.
 * @param userOf returns the user id in the example of an error; undefined for an example without a user.
 */
export function describedErrors(
  errors: readonly (readonly [code: string, DescribedError])[],
  userOf: (code: string) => string | undefined,
): DescribedErrorAnswer[] {
  const statuses = [...new Set(errors.map(([, { status }]) => status))].sort();
  return statuses.map((status) => {
    const ofStatus = errors.filter(([, error]) => error.status === status);
    return {
      status,
      description: ofStatus.map(([, { message }]) => message).join('. '),
      headers: headersOfAny(ofStatus.map(([, error]) => error.headers ?? [])),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: valuesOf(
            Object.fromEntries(
              ofStatus.map(([code, error]) => [code, exampleOf(code, error, userOf(code))]),
            ),
          ),
        },
      },
    };
  });
}

/** Adds headers to an error: `X-Request-Id`, the headers of the operation and, for a 401, `WWW-Authenticate`. */
export function withMore(
  error: DescribedError,
  operation: readonly DescribedHeader[],
): DescribedError {
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

function exampleOf(code: string, error: DescribedError, userId: string | undefined): object {
  return errorBody(
    { reason: code, ...error },
    {
      metadata: error.metadata ?? EXAMPLE_METADATA[code] ?? null,
      requestId: EXAMPLE_REQUEST_ID,
      userId,
    },
  );
}
