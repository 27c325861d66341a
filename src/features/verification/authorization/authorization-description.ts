import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_ANSWER } from '../../../edge/http/openapi/operation.js';

type PathItem = OpenAPIObject['paths'][string];
type Parameter = NonNullable<NonNullable<PathItem['get']>['parameters']>[number];

/** Describes `/v1/authorize` for the OpenAPI document, because no controller has this route (docs/api.md 12.4). */
export function describedAuthorization(): PathItem {
  return {
    get: {
      tags: ['Verification'],
      operationId: 'authorize',
      summary:
        'Ask as a gateway whether a request may pass, in any method, here or on a path below',
      security: [{ bearer: [] }],
      parameters: [
        optional('header', 'Keyledger-Authorization', 'The management key, as `Bearer …`.'),
        optional('header', 'X-API-Key', 'The key of a client without `Authorization: Bearer …`.'),
        optional('query', 'workspace_id', 'Workspace that the key must be in.'),
        optional('query', 'limit_status', 'Status of an exceeded limit.', ['402', '403', '429']),
      ],
      responses: {
        200: { description: 'The request may pass. Headers say whose the key is.' },
        default: ERROR_ANSWER,
      },
    },
  };
}

function optional(
  place: 'header' | 'query',
  name: string,
  description: string,
  values?: string[],
): Parameter {
  const schema = { type: 'string' as const, ...(values && { enum: values }) };
  return { name, in: place, required: false, description, schema };
}
