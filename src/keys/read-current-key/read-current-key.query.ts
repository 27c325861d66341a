import { Query } from '@nestjs/cqrs';
import type { Caller } from '../../http/caller.js';
import type { CurrentKeyRecord } from '../domain/current-key-record.js';

/** What the key that asks is told about itself. */
export class ReadCurrentKey extends Query<CurrentKeyRecord> {
  constructor(readonly caller: Caller) {
    super();
  }
}
