import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBooleanText, IsGivenOnce, IsText, MayBeAbsent } from '../../http/field-rules.js';
import { TEXT } from '../../http/field-schemas.js';
import { IsLimit, IsOffset } from '../../http/paging.js';

export const DEFAULT_LIMIT = 100;

/** The query of `GET /v1/keys` (docs/api.md 3.7), as text. Unknown parameters are ignored. */
export class ListKeysRequest {
  @IsOffset()
  readonly offset?: string;

  @IsLimit(DEFAULT_LIMIT)
  readonly limit?: string;

  @ApiPropertyOptional({
    description: 'Whether disabled keys are listed and counted too.',
    type: Boolean,
    default: false,
  })
  @MayBeAbsent()
  @IsBooleanText()
  readonly include_disabled?: string;

  @ApiPropertyOptional({
    description:
      'Only keys in this workspace, or `all` for every workspace of the account; the default workspace when absent.',
    ...TEXT,
  })
  @MayBeAbsent()
  @IsText()
  @IsGivenOnce()
  readonly workspace_id?: string;
}
