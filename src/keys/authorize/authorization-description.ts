import type { OpenAPIObject } from '@nestjs/swagger';
import { type DescribedHeader, headersOf } from '../../http/described-headers.js';
import { type DescribedError, fieldRefusal } from '../../http/described-refusals.js';
import { ERROR_TABLE } from '../../http/error-table.js';
import { describedErrors, FAULTS, withMore } from '../../http/openapi.js';
import type { RefusalCode } from '../../kernel/errors.js';

type PathItem = OpenAPIObject['paths'][string];
type Parameter = NonNullable<NonNullable<PathItem['get']>['parameters']>[number];

const PASSED: readonly DescribedHeader[] = [
  'Keyledger-Key-Hash',
  'Keyledger-Account',
  'Keyledger-Workspace',
  'Keyledger-External-User',
  'Keyledger-Limit-Remaining',
];

const REFUSALS: readonly RefusalCode[] = [
  'key-missing',
  'key-ambiguous',
  'key-invalid',
  'key-disabled',
  'key-expired',
  'wrong-workspace',
  'limit-exceeded',
  'gateway-unauthorized',
];

/** The statuses that an exceeded limit may have besides the status in the error table. */
const LIMIT_STATUSES = [402, 429];

/** Describes `/v1/authorize` for the OpenAPI document, because no controller has this route (docs/api.md 12.4). */
export function describedAuthorization(): PathItem {
  const errors = describedErrors(allErrors(), () => undefined);
  const responses = errors.map(({ status, ...error }) => [status, error] as const);
  return {
    get: {
      tags: ['Verification'],
      operationId: 'authorize',
      summary: 'Ask as a gateway whether a request may pass',
      description:
        'Every other method, and every path below, is answered in the same way. On paths below, only headers of the gateway set the options.',
      security: [{ bearer: [] }],
      parameters: [
        header('Keyledger-Authorization', 'The management key of the gateway, as `Bearer …`.'),
        header(
          'X-API-Key',
          'The key of the client, if the client sends no `Authorization: Bearer …`.',
        ),
        query('workspace_id', 'Workspace that the key must be in.'),
        query('limit_status', 'Status of an exceeded limit.', ['402', '403', '429']),
      ],
      responses: {
        200: {
          description: 'The request may pass. A header without a value is empty.',
          headers: headersOf(['X-Request-Id', ...PASSED]),
        },
        ...Object.fromEntries(responses),
      },
    },
  };
}

function allErrors(): [string, DescribedError][] {
  const refusals = REFUSALS.map((code): [string, DescribedError] => [code, ERROR_TABLE[code]]);
  const limits = LIMIT_STATUSES.map((status): [string, DescribedError] => [
    'limit-exceeded',
    { ...ERROR_TABLE['limit-exceeded'], status },
  ]);
  const option = fieldRefusal('request-invalid', 'limit_status', 'must be 402, 403 or 429');
  const others: [string, DescribedError][] = [[option.code, option], ...Object.entries(FAULTS)];
  return [
    ...[...refusals, ...limits].map(([code, error]): [string, DescribedError] => [
      code,
      withMore(error, ['Keyledger-Code']),
    ]),
    ...others.map(([code, error]): [string, DescribedError] => [code, withMore(error, [])]),
  ];
}

function header(name: string, description: string): Parameter {
  return parameter('header', name, description);
}

function query(name: string, description: string, values?: readonly string[]): Parameter {
  return parameter('query', name, description, values);
}

function parameter(
  place: 'header' | 'query',
  name: string,
  description: string,
  values?: readonly string[],
): Parameter {
  const schema = { type: 'string' as const, ...(values && { enum: [...values] }) };
  return { name, in: place, required: false, description, schema };
}
