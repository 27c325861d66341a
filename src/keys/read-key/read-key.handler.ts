import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { Position } from '../../kernel/position.js';
import { type Key, ownKey } from '../domain/key.js';
import { KeyDirectory } from '../key-directory/key-directory.js';
import { ReadKey } from './read-key.query.js';

@QueryHandler(ReadKey)
export class ReadKeyHandler implements IQueryHandler<ReadKey> {
  constructor(@Inject(KeyDirectory) private readonly directory: KeyDirectory) {}

  async execute({ accountId, hash }: ReadKey): Promise<{ key: Key; position: Position }> {
    const { key, position } = await this.directory.key(hash);
    return { key: ownKey(key, accountId, position), position };
  }
}
