import { UpdateWorkspaceRequest } from './accounts/update-workspace/update-workspace.request.js';
import { workspaceSchema } from './accounts/workspace.openapi.js';
import { auditEventSchema } from './audit-trail/audit-event.openapi.js';
import { endUserSchema } from './end-users/end-user.openapi.js';
import { RegisterEndUserRequest } from './end-users/register-end-user/register-end-user.request.js';
import { UpdateEndUserRequest } from './end-users/update-end-user/update-end-user.request.js';
import { errorSchema } from './http/openapi.js';
import { ExternalIdentity } from './keys/create-key/create-key.request.js';
import { keySchema } from './keys/key.openapi.js';
import { currentKeySchema } from './keys/read-current-key/read-current-key.openapi.js';
import { UpdateKeyRequest } from './keys/update-key/update-key.request.js';

/** What the operations of the OpenAPI document refer to, beside the bodies that they take. */
export const SCHEMAS = {
  Key: keySchema,
  CurrentKey: currentKeySchema,
  EndUser: endUserSchema,
  Workspace: workspaceSchema,
  AuditEvent: auditEventSchema,
  Error: errorSchema,
};

/** What bodies must be as a whole, which the rules of their fields do not say. */
export const WHOLES = [
  [
    ExternalIdentity,
    {
      // Here and not where it is referred to, where it would allow nothing.
      nullable: true,
      not: {
        type: 'object',
        required: ['lookup_key', 'api_key'],
        properties: { lookup_key: { type: 'string' }, api_key: { type: 'string' } },
      },
    },
  ],
  [RegisterEndUserRequest, { additionalProperties: false }],
  [UpdateEndUserRequest, { additionalProperties: false }],
  [UpdateKeyRequest, { minProperties: 1 }],
  [UpdateWorkspaceRequest, { minProperties: 1 }],
] as const;
