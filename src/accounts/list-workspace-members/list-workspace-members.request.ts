import { LimitParameter, OffsetParameter } from '../../http/paging.js';

export const DEFAULT_LIMIT = 100;

/** The query of `GET /v1/workspaces/{workspace}/members` (docs/api.md 2.7), as text. Unknown parameters are ignored. */
export class ListWorkspaceMembersRequest {
  @OffsetParameter()
  readonly offset?: string;

  @LimitParameter(DEFAULT_LIMIT)
  readonly limit?: string;
}
