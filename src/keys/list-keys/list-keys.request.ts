import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBooleanText, IsPlainInteger, IsText, MayBeAbsent } from '../../http/field-rules.js';

/** The query of `GET /v1/keys` (docs/api.md 3.7), as text. Unknown parameters are ignored. */
export class ListKeysRequest {
  @ApiPropertyOptional({ description: 'Records to skip.', type: 'integer', minimum: 0, default: 0 })
  @MayBeAbsent()
  @IsPlainInteger({ min: 0 })
  readonly offset?: string;

  @ApiPropertyOptional({
    description: 'Records to return at most.',
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 100,
  })
  @MayBeAbsent()
  @IsPlainInteger({ min: 1, max: 100 })
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
  })
  @MayBeAbsent()
  @IsText()
  readonly workspace_id?: string;
}
