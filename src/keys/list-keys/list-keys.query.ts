import { Query } from '@nestjs/cqrs';
import type { KeyPage } from '../key-directory/key-directory.js';

export const ALL_WORKSPACES = 'all';

/** A page of the keys of a workspace, or of every workspace of the account, newest first. */
export class ListKeys extends Query<KeyPage> {
  constructor(
    readonly account: { readonly accountId: string; readonly defaultWorkspaceId: string },
    readonly page: {
      readonly offset: number;
      readonly limit: number;
      readonly includeDisabled: boolean;
      /** ALL_WORKSPACES for every one; the default workspace when undefined. */
      readonly workspaceId: string | undefined;
    },
  ) {
    super();
  }
}
