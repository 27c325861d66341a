import { Query } from '@nestjs/cqrs';
import type { Position } from '../../kernel/position.js';
import type { CurrentKeyRecord } from '../domain/current-key-record.js';

export interface CurrentKeyRead {
  readonly record: CurrentKeyRecord;
  /** The log position that the record reflects at least; absent when no read model was asked. */
  readonly position?: Position;
}

/** The key that asks, as it was let in. */
export interface AskingKey {
  readonly keyKind: 'management' | 'api';
  readonly keyHash: string;
  readonly keyName: string | null;
  readonly accountId: string;
  readonly accountKind: 'organization' | 'individual';
  readonly userId: string;
}

/** What the key that asks is told about itself. */
export class ReadCurrentKey extends Query<CurrentKeyRead> {
  constructor(readonly key: AskingKey) {
    super();
  }
}
