import { ERROR_TABLE } from '../../http/error-table.js';
import { DescribeOperation, fieldRefusal } from '../../http/openapi.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { keyExample, WORKSPACE_REFUSAL } from '../key.openapi.js';
import { UpdateKeyRequest } from './update-key.request.js';

export const DescribeUpdateKey = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Keys',
    id: 'updateKey',
    summary: 'Update an API key',
    description:
      'Changes the fields that are given, all or none. Fields that have their value already are no change.',
    request: {
      shape: UpdateKeyRequest,
      examples: {
        disable: { disabled: true },
        'change the limit': { limit: 50, limit_reset: 'weekly' },
        'lift the limit': { limit: null, limit_reset: null },
        'move and rename': { workspace_id: keyExample.workspace_id, name: 'analytics, Europe' },
      },
    },
    success: {
      status: 200,
      description: 'The key as it is now.',
      schema: {
        type: 'object',
        required: ['data'],
        properties: { data: { $ref: '#/components/schemas/Key' } },
      },
      example: {
        data: { ...keyExample, disabled: true, updated_at: '2026-01-06T10:00:00.000Z' },
      },
    },
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'disabled', 'must be a boolean value'),
      'no-update-fields',
      WORKSPACE_REFUSAL,
      {
        ...ERROR_TABLE['restrictions-incompatible'],
        code: 'restrictions-incompatible',
        metadata: { missing_restrictions: ['eu-only'] },
      },
      'not-found',
      'creator-not-a-member',
      'workspace-gone',
      'body-too-large',
      'encoding-unsupported',
    ],
  });
