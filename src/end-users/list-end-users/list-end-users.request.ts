import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsBooleanText,
  IsGivenOnce,
  IsTrackingString,
  MayBeAbsent,
} from '../../http/field-rules.js';
import { TRACKING_STRING } from '../../http/field-schemas.js';
import { IsLimit, IsOffset } from '../../http/paging.js';

export const DEFAULT_LIMIT = 50;

/** The query of `GET /v1/end-users` (docs/api.md 5.3), as text. Unknown parameters are ignored. */
export class ListEndUsersRequest {
  @IsOffset()
  readonly offset?: string;

  @IsLimit(DEFAULT_LIMIT)
  readonly limit?: string;

  @ApiPropertyOptional({
    description: 'Only the end user with exactly this tracking string.',
    ...TRACKING_STRING,
  })
  @MayBeAbsent()
  @IsTrackingString()
  @IsGivenOnce()
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
