import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../edge/http/callers/caller.js';
import { Admits } from '../../edge/http/callers/key.guard.js';
import { For } from '../../edge/http/callers/roles.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { SlotsOf } from '../../edge/rate-limits/account-concurrency.guard.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { Refusal } from '../../kernel/errors.js';
import type { Read } from '../../kernel/read.js';
import { type CurrentKeyRecord, CurrentKeyShape, presentCurrentKey } from './current-key-record.js';
import { isKey } from './domain/key.js';
import { liveString } from './domain/key-strings.js';
import { KeyFacts } from './published/key-facts.js';
import { USAGE_OF_SUBJECTS, type UsageOfSubjects } from './published/usage-of-subjects.port.js';

/** The key that asks (docs/api.md 3.9). */
@ApiTags('Keys')
@Controller('v1/key')
export class CurrentKeyController {
  constructor(
    private readonly keys: KeyFacts,
    @Inject(USAGE_OF_SUBJECTS) private readonly uses: UsageOfSubjects,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Admits('any-key')
  @For('anyone')
  @SlotsOf('verifications')
  @Operation(
    'readCurrentKey',
    'Read the key of the request: an API key or a management key',
    answer.one(CurrentKeyShape),
  )
  @Refuses(['key-rotated', 'key-disabled', 'key-expired'])
  async read(@CurrentCaller() caller: Caller): Promise<Read<{ data: CurrentKeyRecord }>> {
    if (caller.keyKind === 'management') {
      return { found: { data: presentCurrentKey(caller, null) }, isLate: false };
    }
    const { accountId, keyHash, stringHash } = caller;
    // The record does not say whether the key is disabled, so the key is taken as it is stored.
    const key = await this.keys.key(keyHash);
    // The key was deleted after authentication.
    if (!isKey(key)) throw new Refusal('key-invalid');
    const now = this.clock.now();
    const string = liveString(key, stringHash ?? keyHash, now);
    if (!string) throw new Refusal('key-rotated');
    const { found, isLate } = await this.uses.totalsOf(accountId, [keyHash], now);
    const data = presentCurrentKey(caller, key, found.get(keyHash), string);
    return { found: { data }, isLate };
  }
}
