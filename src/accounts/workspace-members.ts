import { fieldRefusal, refusal } from '../http/described-refusals.js';
import { Texts } from '../http/field-decorators.js';
import { textsRule } from '../http/field-rules.js';
import type { OpenApiSchema, OperationDescription } from '../http/openapi.js';
import { WRITE_REFUSALS } from '../rate-limits/rate-limited.openapi.js';

const USER_IDS = { min: 1, max: 100 };

/** The body of the routes that add and remove members (docs/api.md 2.7). Unknown fields are ignored. */
export class WorkspaceMembersRequest {
  @Texts('Members of the account. A user who is named twice counts once.', USER_IDS)
  readonly user_ids: readonly string[] = [];
}

/** The body of the routes that add and remove members, as the OpenAPI document describes the body. */
export const DESCRIBED_MEMBERS_REQUEST = {
  shape: WorkspaceMembersRequest,
  examples: { two: { user_ids: ['user-ada', 'user-grace'] } },
};

/** The refusals of the routes that add and remove members. */
export const MEMBERSHIP_REFUSALS: OperationDescription['refusals'] = [
  ...WRITE_REFUSALS,
  fieldRefusal('request-invalid', 'user_ids', textsRule(USER_IDS)),
  'not-found',
  'default-workspace-members-fixed',
  refusal('member-unknown', {
    issues: [{ path: 'user_ids', message: 'names users who are no members of the account' }],
    user_ids: ['user-nobody'],
  }),
];

export interface MemberRecord {
  readonly user_id: string;
}

/** Returns members as callers see them. */
export function presentMembers(userIds: readonly string[]): MemberRecord[] {
  return userIds.map((user_id) => ({ user_id }));
}

/** Members as the OpenAPI document describes them. */
export const MEMBERS_SCHEMA: OpenApiSchema = {
  type: 'array',
  description: 'Members.',
  items: {
    type: 'object',
    required: ['user_id'],
    properties: { user_id: { type: 'string', description: 'Id of the user.' } },
  },
};
