import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  WORKSPACE_DIRECTORY,
  type WorkspaceDirectory,
} from '../../accounts/published/workspace-directory.js';
import { notFound } from '../../../kernel/errors.js';
import type { Read } from '../../../kernel/read.js';
import type { Key } from '../domain/key.js';
import { effectiveKeys } from '../effective-keys.js';
import { KeyDirectory } from '../key-directory/key-directory.js';

/**
 * Reads a key of an account by its hash.
 * Throws a Refusal when the account has no such key.
 */
export class ReadKey extends Query<Read<Key>> {
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

  async execute({ account, hash }: ReadKey): Promise<Read<Key>> {
    const read = await this.directory.ownKey(account.accountId, hash);
    const { keys, isLate } = await effectiveKeys(this.workspaces, account, read);
    const [found] = keys;
    if (!found) throw notFound();
    return { found, isLate };
  }
}
