import { ApiSchema, PickType } from '@nestjs/swagger';
import {
  Choice,
  Flag,
  KeyHash,
  OpenChoice,
  Shown,
  ShownTime,
  Text,
  TrackingString,
  UsdAmount,
} from '../../edge/http/fields/field-decorators.js';
import { OptionalFields, BodySchema } from '../../edge/http/fields/mapped-fields.js';
import { Refusal } from '../../kernel/errors.js';
import type { NanoUsd } from '../../kernel/usd.js';
import { LIMIT_RESETS } from '../../kernel/limit-reset.js';
import type { Key } from '../keys/domain/key.js';
import { limitRemaining, SUBJECT_KINDS } from '../keys/domain/limit.js';
import { KeyShape, WORKSPACE_ID } from '../keys/key.fields.js';
import { type AskedKey, askedKey } from './asked-key.js';
import {
  type AskedLimit,
  exceededLimit,
  leastRemaining,
  VERIFICATION_CODES,
  type VerificationCode,
} from './domain/verification.js';

export interface Verification {
  readonly code: VerificationCode;
  readonly key: Key | null;
  /** The spending toward the key's limit; null if unknown, or if the question did not need it. */
  readonly spent: NanoUsd | null;
  /** The limits that were asked about. None unless the code is `VALID` or `LIMIT_EXCEEDED`. */
  readonly limits: readonly AskedLimit[];
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
  @OpenChoice('What has the limit.', SUBJECT_KINDS)
  readonly scope!: string;

  @Choice('LimitInterval', 'The window of the limit; `lifetime` if the limit never resets.', [
    ...LIMIT_RESETS,
    'lifetime',
  ])
  readonly interval!: string;

  @UsdAmount('The limit in USD.')
  readonly limit!: number;

  @UsdAmount('The spending in the window, in USD.')
  readonly usage!: number;

  @ShownTime('End of the window; null for `lifetime`.', { nullable: true })
  readonly resets_at!: string | null;
}

@ApiSchema({ name: 'Verification' })
export class VerificationShape {
  @Flag('Whether the key may be used.')
  readonly valid!: boolean;

  @OpenChoice('The first code that applies.', VERIFICATION_CODES)
  readonly code!: string;

  @Shown('The key; null for `MALFORMED` and `NOT_FOUND`.', {
    type: () => VerifiedKeyShape,
    nullable: true,
  })
  readonly key!: VerifiedKeyShape | null;

  @UsdAmount(
    'The least that remains of all limits that apply; null for none, and with other codes than `VALID` and `LIMIT_EXCEEDED`.',
    { nullable: true },
  )
  readonly limit_remaining!: number | null;

  @Shown('The limit that is used up; null unless the code is `LIMIT_EXCEEDED`.', {
    type: () => ExceededLimitShape,
    nullable: true,
  })
  readonly exceeded!: ExceededLimitShape | null;
}

/** A verification as gateways see it (docs/api.md 12.2). */
export type VerificationRecord = Pick<VerificationShape, keyof VerificationShape>;

export function presentVerification(verification: Verification): VerificationRecord {
  const { code, key, spent, limits, at } = verification;
  return {
    valid: code === 'VALID',
    code,
    key: key && presentVerifiedKey(key, spent),
    limit_remaining: leastRemaining(limits)?.toNumber() ?? null,
    exceeded: code === 'LIMIT_EXCEEDED' ? exceededLimit(limits, at) : null,
  };
}

function presentVerifiedKey(key: Key, spent: NanoUsd | null): VerifiedKeyShape {
  return {
    hash: key.hash,
    name: key.name,
    label: key.name,
    workspace_id: key.workspace_id,
    creator_user_id: key.creator_user_id,
    external_user: key.external_user === null ? null : { user: key.external_user },
    expires_at: key.expires_at,
    limit: key.limit,
    limit_remaining: spent === null ? null : limitRemaining(key.limit, spent),
    limit_reset: key.limit_reset,
  };
}

const ONE_OF_BOTH = 'must be given, or hash instead of it, and not both';

class VerificationFields {
  @Text('The key string; it is neither stored nor logged. Either this or `hash` is given.')
  readonly key!: string;

  @KeyHash('SHA-256 of the key string in hex, instead of the key string.')
  readonly hash!: string;

  @Text('Workspace that the key must be in; any workspace if absent.', WORKSPACE_ID)
  readonly workspace_id!: string;

  @TrackingString(
    'End user who uses the key; not asked about for a key that was made for an end user.',
  )
  readonly user!: string;
}

/** The question whether a key, by its string or its hash, may be used (docs/api.md 12.2). */
@BodySchema({ additionalProperties: false, example: { key: 'the key string' } })
export class VerifyKeyRequest extends OptionalFields(VerificationFields, [
  'key',
  'hash',
  'workspace_id',
  'user',
]) {}

/** @throws Refusal unless the question has exactly one of the key string and the hash. */
export function askedIn({ key, hash }: VerifyKeyRequest, foreignKeys: boolean): AskedKey {
  if (key != null && hash == null) return askedKey(key, foreignKeys);
  if (key == null && hash != null) return { hash: hash.toLowerCase() };
  throw new Refusal('request-invalid', { issues: [{ path: 'key', message: ONE_OF_BOTH }] });
}
