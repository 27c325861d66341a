import type { OpenAPIObject } from '@nestjs/swagger';
import { ROLES_BY_USE, ROLES_FIELD } from '../../../edge/http/callers/roles.js';
import { errorAnswer } from '../../../edge/http/openapi/errors.js';

/** Describes `/v1/authorize` for the OpenAPI document: no controller has it (docs/api.md 12.4). */
export function forwardAuthDescription(): OpenAPIObject['paths'][string] {
  const roles: object = { [ROLES_FIELD]: ROLES_BY_USE.gateways };
  return {
    get: {
      ...roles,
      tags: ['Verification'],
      operationId: 'authorize',
      summary:
        'Check for a gateway whether a request may pass; with any method, here or on a path below',
      description:
        'Refuses with 400 `request-invalid`, 401 `key-missing`, `key-ambiguous`, `key-invalid`, `key-rotated`, `key-disabled`, `key-expired`, 403 `gateway-unauthorized`, `wrong-workspace`, `limit-exceeded` (also 402 or 429), 500 `internal-error`, 503 `unavailable`, `event-unreadable`.',
      security: [{ bearer: [] }],
      parameters: [
        parameter('header', 'Keyledger-Authorization', 'The management key, as `Bearer …`.'),
        parameter(
          'header',
          'X-API-Key',
          'The API key, if `Authorization` does not have it as `Bearer …`.',
        ),
        parameter('query', 'workspace_id', 'Workspace that the key must be in.'),
        parameter(
          'query',
          'user',
          'End user who sends the request. `+` is a plus; an empty value counts as absent.',
        ),
        parameter('query', 'limit_status', 'Status of an exceeded limit.', ['402', '403', '429']),
      ],
      responses: {
        200: { description: 'The request may pass. Headers say whose key it has.' },
        default: errorAnswer('gateway-unauthorized'),
      },
    },
  };
}

function parameter(
  place: 'header' | 'query',
  name: string,
  description: string,
  values?: string[],
) {
  const schema = { type: 'string', ...(values && { enum: values }) };
  return { name, in: place, required: false, description, schema };
}
