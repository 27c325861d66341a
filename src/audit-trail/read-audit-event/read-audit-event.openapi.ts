import { DescribeOperation, undecodable, withHeaders } from '../../http/openapi.js';
import { auditEventExample } from '../audit-event.openapi.js';

export const DescribeReadAuditEvent = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Audit trail',
    id: 'readAuditEvent',
    summary: 'Read one event of the account',
    description: 'Sees every write that was answered before it.',
    success: {
      status: 200,
      description: 'The event.',
      schema: {
        type: 'object',
        required: ['data'],
        properties: { data: { $ref: '#/components/schemas/AuditEvent' } },
      },
      example: { data: auditEventExample },
      headers: ['X-Log-Position'],
    },
    refusals: [undecodable('id'), withHeaders('not-found', 'X-Log-Position')],
  });
