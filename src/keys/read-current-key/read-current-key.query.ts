import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Caller } from '../../http/caller.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { Refusal } from '../../kernel/errors.js';
import type { Position } from '../../kernel/position.js';
import {
  type CurrentKeyRecord,
  presentCurrentApiKey,
  presentCurrentManagementKey,
} from '../current-key-record.js';
import { KeyDirectory } from '../key-directory/key-directory.js';

export interface CurrentKeyRead {
  readonly record: CurrentKeyRecord;
  /** The log position that the record reflects at least; absent when no read model was asked. */
  readonly position?: Position;
}

/** Reads the key of the caller. Throws a Refusal when the key was deleted after authentication. */
export class ReadCurrentKey extends Query<CurrentKeyRead> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(ReadCurrentKey)
export class ReadCurrentKeyHandler implements IQueryHandler<ReadCurrentKey> {
  constructor(
    @Inject(KeyDirectory) private readonly directory: KeyDirectory,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ caller }: ReadCurrentKey): Promise<CurrentKeyRead> {
    const { keyKind, keyHash, accountId, accountKind } = caller;
    const now = this.clock.now();
    const organizationId = accountKind === 'organization' ? accountId : null;
    if (keyKind === 'management') {
      return { record: presentCurrentManagementKey(caller, organizationId, now) };
    }
    const { key, position } = await this.directory.knownKey(keyHash);
    // The key was deleted after authentication.
    if (!key) throw new Refusal('key-invalid');
    return { record: presentCurrentApiKey(key, organizationId, now), position };
  }
}
