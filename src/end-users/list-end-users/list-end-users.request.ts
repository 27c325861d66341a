import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsBooleanText,
  IsPlainInteger,
  IsTrackingString,
  MayBeAbsent,
} from '../../http/field-rules.js';

/** The query of `GET /v1/end-users` (docs/api.md 5.3), as text. Unknown parameters are ignored. */
export class ListEndUsersRequest {
  @ApiPropertyOptional({ description: 'Records to skip.', type: 'integer', minimum: 0, default: 0 })
  @MayBeAbsent()
  @IsPlainInteger({ min: 0 })
  readonly offset?: string;

  @ApiPropertyOptional({
    description: 'Records to return at most.',
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 50,
  })
  @MayBeAbsent()
  @IsPlainInteger({ min: 1, max: 100 })
  readonly limit?: string;

  @ApiPropertyOptional({
    description: 'Only the end user with exactly this tracking string.',
    minLength: 1,
    maxLength: 512,
  })
  @MayBeAbsent()
  @IsTrackingString()
  readonly user?: string;

  @ApiPropertyOptional({
    description: 'Whether deactivated end users are listed and counted too.',
    type: Boolean,
    default: false,
  })
  @MayBeAbsent()
  @IsBooleanText()
  readonly include_inactive?: string;
}
