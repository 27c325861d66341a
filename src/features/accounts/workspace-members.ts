import { Shown, Texts } from '../../edge/http/fields/field-decorators.js';

/** The body of the routes that add and remove members (docs/api.md 2.7). Unknown fields are ignored. */
export class WorkspaceMembersRequest {
  @Texts('Members of the account. A user who is named twice counts once.', { min: 1, max: 100 })
  readonly user_ids: readonly string[] = [];
}

export class Member {
  @Shown('Id of the user.', { type: String })
  readonly user_id: string = '';
}

/** Returns members as callers see them. */
export function presentMembers(userIds: readonly string[]): Member[] {
  return userIds.map((user_id) => ({ user_id }));
}
