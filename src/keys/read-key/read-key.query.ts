import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Position } from '../../kernel/position.js';
import { type Key, ownKey } from '../domain/key.js';
import { KeyDirectory } from '../key-directory/key-directory.js';

/**
 * Reads a key of an account by its hash. Gives the key, and the log position that it reflects at least.
 * Throws a Refusal when the account has no such key.
 */
export class ReadKey extends Query<{ readonly key: Key; readonly position: Position }> {
  constructor(
    readonly accountId: string,
    readonly hash: string,
  ) {
    super();
  }
}

@QueryHandler(ReadKey)
export class ReadKeyHandler implements IQueryHandler<ReadKey> {
  constructor(@Inject(KeyDirectory) private readonly directory: KeyDirectory) {}

  async execute({ accountId, hash }: ReadKey): Promise<{ key: Key; position: Position }> {
    const { key, position } = await this.directory.key(hash);
    return { key: ownKey(key, accountId, position), position };
  }
}
