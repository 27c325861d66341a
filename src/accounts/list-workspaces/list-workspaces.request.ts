import { IsLimit, IsOffset } from '../../http/paging.js';

export const DEFAULT_LIMIT = 50;

/** The query of `GET /v1/workspaces` (docs/api.md 2.6), as text. Unknown parameters are ignored. */
export class ListWorkspacesRequest {
  @IsOffset()
  readonly offset?: string;

  @IsLimit(DEFAULT_LIMIT)
  readonly limit?: string;
}
