import { LimitParameter, OffsetParameter } from '../../http/paging.js';

export const DEFAULT_LIMIT = 50;

/** The query of `GET /v1/workspaces` (docs/api.md 2.6), as text. Unknown parameters are ignored. */
export class ListWorkspacesRequest {
  @OffsetParameter()
  readonly offset?: string;

  @LimitParameter(DEFAULT_LIMIT)
  readonly limit?: string;
}
