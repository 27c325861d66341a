import { IsLimit, IsOffset } from '../../http/paging.js';

export const DEFAULT_LIMIT = 100;

/** The query of `GET /v1/workspaces/{workspace}/members` (docs/api.md 2.7), as text. Unknown parameters are ignored. */
export class ListWorkspaceMembersRequest {
  @IsOffset()
  readonly offset?: string;

  @IsLimit(DEFAULT_LIMIT)
  readonly limit?: string;
}
