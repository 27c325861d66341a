import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import {
  IsOtherNameOf,
  IsText,
  IsTrackingString,
  IsUsdAmount,
  IsUtcTimestamp,
} from '../../http/field-rules.js';
import { TEXT, TRACKING_STRING, UTC_TIMESTAMP } from '../../http/field-schemas.js';
import { IsShape } from '../../http/nested-shape.js';
import { WORKSPACE_ID, WORKSPACE_ID_SCHEMA } from '../key-rules.js';
import { LIMIT_RESETS, type LimitReset } from '../domain/key.js';

const LOOKUP_KEY_NOTE =
  'Lookup key of the partner, kept as a SHA-256 hash and never returned. `lookup_key` and `api_key` are two names of one field.';

export class ExternalIdentity {
  @ApiProperty({
    description: 'Tracking string of the end user.',
    ...TRACKING_STRING,
  })
  @IsTrackingString()
  readonly user: string = '';

  @ApiPropertyOptional({ description: LOOKUP_KEY_NOTE, type: String, nullable: true, ...TEXT })
  @IsOptional()
  @IsText()
  readonly lookup_key?: string | null;

  @ApiPropertyOptional({ description: LOOKUP_KEY_NOTE, type: String, nullable: true, ...TEXT })
  @IsOptional()
  @IsText()
  @IsOtherNameOf('lookup_key')
  readonly api_key?: string | null;
}

/** The body of `POST /v1/keys` (docs/api.md 3.3). Unknown fields are ignored; null is absent. */
export class CreateKeyRequest {
  @ApiProperty({ description: 'Name of the key.', ...TEXT })
  @IsText()
  readonly name: string = '';

  @ApiPropertyOptional({
    description:
      'User who creates the key, recorded as given; the user of the management key when absent.',
    type: String,
    nullable: true,
    ...TEXT,
  })
  @IsOptional()
  @IsText()
  readonly creator_user_id?: string | null;

  @ApiPropertyOptional({
    description: 'ISO 8601 UTC time, seconds mandatory. A key may be created expired.',
    nullable: true,
    ...UTC_TIMESTAMP,
  })
  @IsOptional()
  @IsUtcTimestamp()
  readonly expires_at?: string | null;

  @ApiPropertyOptional({
    description: 'Partner-defined identity of the key.',
    type: ExternalIdentity,
  })
  @IsOptional()
  @IsShape(() => ExternalIdentity)
  readonly external?: ExternalIdentity | null;

  @ApiPropertyOptional({
    description: 'Whether BYOK usage counts toward the limit; it does not when absent.',
    type: Boolean,
    nullable: true,
  })
  @IsOptional()
  @IsBoolean()
  readonly include_byok_in_limit?: boolean | null;

  @ApiPropertyOptional({
    description: 'Spending limit in USD; null for none.',
    type: Number,
    minimum: 0,
    nullable: true,
  })
  @IsOptional()
  @IsUsdAmount()
  readonly limit?: number | null;

  @ApiPropertyOptional({
    description: 'When the limit starts anew; null for never.',
    enum: [...LIMIT_RESETS, null],
    type: String,
    nullable: true,
  })
  @IsOptional()
  @IsIn(LIMIT_RESETS)
  readonly limit_reset?: LimitReset | null;

  @ApiPropertyOptional({
    description: 'Workspace of the key; the default workspace when absent.',
    type: String,
    nullable: true,
    ...WORKSPACE_ID_SCHEMA,
  })
  @IsOptional()
  @IsText(WORKSPACE_ID)
  readonly workspace_id?: string | null;
}
