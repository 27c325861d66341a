import { ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import {
  OpenChoice,
  Shown,
  ShownTime,
  Text,
  TrackingString,
  UtcTimestamp,
} from '../../edge/http/fields/field-decorators.js';
import { BodySchema, OptionalFields } from '../../edge/http/fields/mapped-fields.js';
import { Paged } from '../../edge/http/fields/paging.js';
import { FlagParameter } from '../../edge/http/fields/query-decorators.js';
import { type Role, ROLES } from '../../kernel/role.js';
import { parseUtcTimestamp } from '../../kernel/utc-timestamp.js';
import type { ManagementKeyRecord, NewManagementKey } from './domain/management-key.js';

/** A management key as callers see it (docs/api.md 2.11). Requests take their fields from it. */
@ApiSchema({ name: 'ManagementKey' })
export class ManagementKeyShape {
  @Shown('Identifier of the key: SHA-256 of the key string.', { type: String })
  readonly hash!: string;

  @Text('Name of the key; null for none.', { nullable: true })
  readonly name!: string | null;

  @TrackingString('Member of the account who has the key; the user of the caller when absent.')
  readonly user_id!: string;

  @OpenChoice('What the key may do.', ROLES)
  readonly role!: Role;

  @UtcTimestamp('Time at which the key expires; null for never. It may be in the past.', {
    nullable: true,
  })
  readonly expires_at!: string | null;

  @ShownTime('Time of the creation.')
  readonly created_at!: string;

  @Shown('User who created the key; null when the operator or the service did.', {
    type: String,
    nullable: true,
  })
  readonly created_by!: string | null;

  @ShownTime('Time of the revocation; null for a key that is not revoked.', { nullable: true })
  readonly revoked_at!: string | null;
}

/** Returns a management key as callers see it, without the internal fields of its document. */
export function presentManagementKey(key: ManagementKeyRecord): ManagementKeyRecord {
  return {
    hash: key.hash,
    name: key.name,
    user_id: key.user_id,
    role: key.role,
    expires_at: key.expires_at,
    created_at: key.created_at,
    created_by: key.created_by,
    revoked_at: key.revoked_at,
  };
}

/** The body of a creation (docs/api.md 2.11). Unknown fields are refused; null counts as absent. */
@BodySchema({ additionalProperties: false, example: { name: 'Gateway', role: 'gateway' } })
export class CreateManagementKeyRequest extends IntersectionType(
  PickType(ManagementKeyShape, ['role']),
  OptionalFields(ManagementKeyShape, ['name', 'user_id', 'expires_at']),
) {}

/** @param userId the user of the caller. */
export function managementKeyOf(
  { name, user_id, role, expires_at }: CreateManagementKeyRequest,
  hash: string,
  userId: string,
): NewManagementKey {
  return {
    hash,
    user_id: user_id ?? userId,
    name: name ?? null,
    role,
    expires_at: expires_at == null ? null : parseUtcTimestamp(expires_at),
  };
}

/** The query parameters of `GET /v1/management-keys` (docs/api.md 2.11), as strings. */
export class ListManagementKeysRequest extends Paged(50) {
  @FlagParameter('Whether revoked keys are listed and counted too.')
  readonly include_revoked?: string;
}
