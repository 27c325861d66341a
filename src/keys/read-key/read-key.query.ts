import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  WORKSPACE_DIRECTORY,
  type WorkspaceDirectory,
} from '../../accounts/published/workspace-directory.js';
import type { Position } from '../../kernel/position.js';
import { type Key, ownKey } from '../domain/key.js';
import { effectiveKeys } from '../effective-keys.js';
import { KeyDirectory } from '../key-directory/key-directory.js';

/**
 * Reads a key of an account by its hash. Returns the key, and the log position that the key reflects at least.
 * Throws a Refusal when the account has no such key.
 */
export class ReadKey extends Query<{ readonly key: Key; readonly position: Position }> {
  constructor(
    readonly account: { readonly accountId: string; readonly defaultWorkspaceId: string },
    readonly hash: string,
  ) {
    super();
  }
}

@QueryHandler(ReadKey)
export class ReadKeyHandler implements IQueryHandler<ReadKey> {
  constructor(
    @Inject(KeyDirectory) private readonly directory: KeyDirectory,
    @Inject(WORKSPACE_DIRECTORY) private readonly workspaces: WorkspaceDirectory,
  ) {}

  async execute({ account, hash }: ReadKey): Promise<{ key: Key; position: Position }> {
    const read = await this.directory.key(hash);
    const own = ownKey(read.key, account.accountId, read.position);
    const { keys, position } = await effectiveKeys(this.workspaces, account, {
      keys: [own],
      position: read.position,
    });
    return { key: keys[0] ?? own, position };
  }
}
