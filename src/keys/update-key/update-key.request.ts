import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import { IsText, IsUsdAmount, MayBeAbsent } from '../../http/field-rules.js';
import { TEXT } from '../../http/field-schemas.js';
import { WORKSPACE_ID, WORKSPACE_ID_SCHEMA } from '../key-rules.js';
import { LIMIT_RESETS, type LimitReset } from '../domain/key.js';

/** The body of `PATCH /v1/keys/{hash}` (docs/api.md 4.1). Unknown fields are ignored. */
export class UpdateKeyRequest {
  @ApiPropertyOptional({ description: 'Disable or enable the key.' })
  @MayBeAbsent()
  @IsBoolean()
  readonly disabled?: boolean;

  @ApiPropertyOptional({ description: 'Whether BYOK usage counts toward the limit.' })
  @MayBeAbsent()
  @IsBoolean()
  readonly include_byok_in_limit?: boolean;

  @ApiPropertyOptional({
    description: 'New spending limit in USD; null for none.',
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

  @ApiPropertyOptional({ description: 'New name.', ...TEXT })
  @MayBeAbsent()
  @IsText()
  readonly name?: string;

  @ApiPropertyOptional({ description: 'Workspace to move the key to.', ...WORKSPACE_ID_SCHEMA })
  @MayBeAbsent()
  @IsText(WORKSPACE_ID)
  readonly workspace_id?: string;
}
