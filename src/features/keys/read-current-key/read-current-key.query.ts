import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Caller } from '../../../edge/http/callers/caller.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { Refusal } from '../../../kernel/errors.js';
import type { Read } from '../../../kernel/read.js';
import {
  type CurrentKeyRecord,
  presentCurrentApiKey,
  presentCurrentManagementKey,
} from '../current-key-record.js';
import { KeyDirectory } from '../key-directory/key-directory.js';

/** Reads the key of the caller. Throws a Refusal when the key was deleted after authentication. */
export class ReadCurrentKey extends Query<Read<CurrentKeyRecord>> {
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

  async execute({ caller }: ReadCurrentKey): Promise<Read<CurrentKeyRecord>> {
    const { keyKind, keyHash, accountId, accountKind } = caller;
    const now = this.clock.now();
    const organizationId = accountKind === 'organization' ? accountId : null;
    if (keyKind === 'management') {
      return { found: presentCurrentManagementKey(caller, organizationId, now), isLate: false };
    }
    const { found: key, isLate } = await this.directory.knownKey(keyHash);
    // The key was deleted after authentication.
    if (!key) throw new Refusal('key-invalid');
    return { found: presentCurrentApiKey(key, organizationId, now), isLate };
  }
}
