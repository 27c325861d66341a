import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { Refusal } from '../../kernel/errors.js';
import { presentCurrentApiKey, presentCurrentManagementKey } from '../domain/current-key-record.js';
import { KeyDirectory } from '../key-directory/key-directory.js';
import { type CurrentKeyRead, ReadCurrentKey } from './read-current-key.query.js';

@QueryHandler(ReadCurrentKey)
export class ReadCurrentKeyHandler implements IQueryHandler<ReadCurrentKey> {
  constructor(
    @Inject(KeyDirectory) private readonly directory: KeyDirectory,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ key: asking }: ReadCurrentKey): Promise<CurrentKeyRead> {
    const { keyKind, keyHash, keyName, accountId, accountKind, userId } = asking;
    const now = this.clock.now();
    const organizationId = accountKind === 'organization' ? accountId : null;
    if (keyKind === 'management') {
      const management = { name: keyName, userId };
      return { record: presentCurrentManagementKey(management, organizationId, now) };
    }
    const { key, position } = await this.directory.knownKey(keyHash);
    // Deleted since it was let in.
    if (!key) throw new Refusal('key-invalid');
    return { record: presentCurrentApiKey(key, organizationId, now), position };
  }
}
