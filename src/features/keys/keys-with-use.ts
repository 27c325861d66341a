import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { afterChange } from '../../kernel/errors.js';
import type { Read } from '../../kernel/read.js';
import type { Key } from './domain/key.js';
import { type KeyRecord, presentKey } from './key-record.js';
import { USAGE_OF_SUBJECTS, type UsageOfSubjects } from './published/usage-of-subjects.port.js';

/** The records of single keys, with their usage. */
@Injectable()
export class KeysWithUse {
  constructor(
    @Inject(USAGE_OF_SUBJECTS) private readonly uses: UsageOfSubjects,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async present(
    { accountId }: { readonly accountId: string },
    { found: key, isLate }: Read<Key>,
  ): Promise<Read<{ data: KeyRecord }>> {
    const uses = await this.uses.totalsOf(accountId, [key.hash], this.clock.now());
    const data = presentKey(key, uses.found.get(key.hash));
    return { found: { data }, isLate: isLate || uses.isLate };
  }

  /** Presents a key whose change is stored. */
  afterChange(
    account: { readonly accountId: string },
    key: Key,
  ): Promise<Read<{ data: KeyRecord }>> {
    return afterChange(this.present(account, { found: key, isLate: false }));
  }
}
