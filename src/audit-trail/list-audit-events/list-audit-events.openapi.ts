import { NDJSON } from '../../http/ndjson.js';
import { DescribeOperation, withHeaders } from '../../http/openapi.js';
import { LIMIT_REFUSAL } from '../../http/page.openapi.js';
import { auditEventExample } from '../audit-event.openapi.js';

const schema = { $ref: '#/components/schemas/AuditEvent' };

export const DescribeListAuditEvents = (): MethodDecorator =>
  DescribeOperation({
    tag: 'Audit trail',
    id: 'listAuditEvents',
    summary: 'List what was done in the account',
    description:
      'Newest first. Sees every write that was answered before it. As NDJSON all that match, one `AuditEvent` a line, whatever limit and cursor say.',
    success: {
      status: 200,
      description:
        'A page, and the cursor of the one behind it: null when there is none. A page may hold fewer events than were asked for, though more follow.',
      schema: {
        type: 'object',
        required: ['data', 'next_cursor'],
        properties: {
          data: { type: 'array', items: schema },
          next_cursor: { type: 'string', nullable: true },
        },
      },
      example: { data: [auditEventExample], next_cursor: null },
      also: {
        type: NDJSON,
        schema: { type: 'string' },
        example: `${JSON.stringify(auditEventExample)}\n`,
      },
      headers: ['X-Log-Position'],
    },
    headers: ['Vary'],
    refusals: [
      LIMIT_REFUSAL,
      withHeaders('too-many-streams', 'Retry-After'),
      'http-version-unsupported',
    ],
  });
