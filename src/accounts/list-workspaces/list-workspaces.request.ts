import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsPlainInteger, MayBeAbsent } from '../../http/field-rules.js';

/** The query of `GET /v1/workspaces` (docs/api.md 2.6), as text. Unknown parameters are ignored. */
export class ListWorkspacesRequest {
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
}
