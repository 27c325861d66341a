import { Texts } from '../http/field-decorators.js';
import { USER_IDS } from './workspace.fields.js';

/** The body of the routes that add and remove members (docs/api.md 2.7). Unknown fields are ignored. */
export class WorkspaceMembersRequest {
  @Texts('Members of the account. A user who is named twice counts once.', USER_IDS)
  readonly user_ids: string[] = [];
}
