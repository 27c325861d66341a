import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBooleanText, IsGivenOnce, IsText, MayBeAbsent } from '../../http/field-rules.js';
import { IsLimit, IsOffset } from '../../http/paging.js';
import { WORKSPACE_ID, WORKSPACE_ID_SCHEMA } from '../key-rules.js';

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
    ...WORKSPACE_ID_SCHEMA,
  })
  @MayBeAbsent()
  @IsText(WORKSPACE_ID)
  @IsGivenOnce()
  readonly workspace_id?: string;
}
