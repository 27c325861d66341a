import { Query } from '@nestjs/cqrs';
import type { Position } from '../../kernel/position.js';
import type { Key } from '../domain/key.js';

/** A key of an account by its hash, with the log position that it reflects at least. */
export class ReadKey extends Query<{ readonly key: Key; readonly position: Position }> {
  constructor(
    readonly account: { readonly accountId: string; readonly defaultWorkspaceId: string },
    readonly hash: string,
  ) {
    super();
  }
}
