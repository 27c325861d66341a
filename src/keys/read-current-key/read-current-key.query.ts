import { Query } from '@nestjs/cqrs';
import type { Caller } from '../../http/caller.js';
import type { Position } from '../../kernel/position.js';
import type { CurrentKeyRecord } from '../domain/current-key-record.js';

export interface CurrentKeyRead {
  readonly record: CurrentKeyRecord;
  /** The log position that the record reflects at least; absent when no read model was asked. */
  readonly position?: Position;
}

/** What the key that asks is told about itself. */
export class ReadCurrentKey extends Query<CurrentKeyRead> {
  constructor(readonly caller: Caller) {
    super();
  }
}
