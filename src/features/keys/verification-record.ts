import { ApiSchema, PickType } from '@nestjs/swagger';
import {
  Choice,
  Flag,
  Shown,
  ShownTime,
  UsdAmount,
} from '../../edge/http/fields/field-decorators.js';
import type { Key } from './domain/key.js';
import { limitRemaining, type Usage } from './domain/usage.js';
import { exceededLimit, VERIFICATION_CODES, type VerificationCode } from './domain/verification.js';
import { KeyShape } from './key-record.js';

/** The answer to the question whether a key may be used. */
export interface Verification {
  readonly code: VerificationCode;
  /** The key; null when the account has no such key. */
  readonly key: Key | null;
  readonly usage: Usage;
  /** The time of the decision. */
  readonly at: Date;
}

@ApiSchema({ name: 'VerifiedKey' })
class VerifiedKeyShape extends PickType(KeyShape, [
  'hash',
  'name',
  'label',
  'workspace_id',
  'creator_user_id',
  'external_user',
  'expires_at',
  'limit',
  'limit_remaining',
  'limit_reset',
]) {}

@ApiSchema({ name: 'ExceededLimit' })
class ExceededLimitShape {
  @Choice('The window of the limit; `lifetime` for one that never resets.', [
    'daily',
    'weekly',
    'monthly',
    'lifetime',
  ])
  readonly interval: string = '';

  @UsdAmount('The limit in USD.')
  readonly limit: number = 0;

  @UsdAmount('The spending in the window, in USD.')
  readonly usage: number = 0;

  @ShownTime('End of the window; null for `lifetime`.', { nullable: true })
  readonly resets_at: string | null = null;
}

@ApiSchema({ name: 'Verification' })
export class VerificationShape {
  @Flag('Whether the key may be used.')
  readonly valid: boolean = false;

  @Shown(
    `The first code that applies. Later releases may add codes. Today: ${VERIFICATION_CODES.join(', ')}.`,
    {
      type: String,
    },
  )
  readonly code: string = '';

  @Shown('The key; null for `MALFORMED` and `NOT_FOUND`.', {
    type: () => VerifiedKeyShape,
    nullable: true,
  })
  readonly key: VerifiedKeyShape | null = null;

  @Shown('The limit that is used up; null except for `LIMIT_EXCEEDED`.', {
    type: () => ExceededLimitShape,
    nullable: true,
  })
  readonly exceeded: ExceededLimitShape | null = null;
}

/** A verification as gateways see it (docs/api.md 12.2). */
export type VerificationRecord = Pick<VerificationShape, keyof VerificationShape>;

export function presentVerification({ code, key, usage, at }: Verification): VerificationRecord {
  return {
    valid: code === 'VALID',
    code,
    key: key && presentVerifiedKey(key, usage, at),
    exceeded: key && code === 'LIMIT_EXCEEDED' ? exceededLimit(key, usage, at) : null,
  };
}

function presentVerifiedKey(key: Key, usage: Usage, at: Date): VerifiedKeyShape {
  return {
    hash: key.hash,
    name: key.name,
    label: key.name,
    workspace_id: key.workspace_id,
    creator_user_id: key.creator_user_id,
    external_user: key.external_user === null ? null : { user: key.external_user },
    expires_at: key.expires_at,
    limit: key.limit,
    limit_remaining: limitRemaining(key, usage, at),
    limit_reset: key.limit_reset,
  };
}
