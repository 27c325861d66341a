import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { MayBeAbsent } from '../../http/field-rules.js';
import { TEXT } from '../../http/field-schemas.js';
import {
  DESCRIPTION,
  IsDescription,
  IsRestrictions,
  IsSlug,
  IsWorkspaceName,
  NAME_SCHEMA,
  RESTRICTION_SCHEMA,
  RESTRICTIONS,
  SLUG,
} from '../workspace-rules.js';

/** The body of `PATCH /v1/workspaces/{workspace}` (docs/api.md 2.6). Unknown fields are ignored. */
export class UpdateWorkspaceRequest {
  @ApiPropertyOptional({ description: 'New name.', ...NAME_SCHEMA })
  @MayBeAbsent()
  @IsWorkspaceName()
  readonly name?: string;

  @ApiPropertyOptional({
    description: 'New slug, unique in the account.',
    ...SLUG,
  })
  @MayBeAbsent()
  @IsSlug()
  readonly slug?: string;

  @ApiPropertyOptional({
    description: 'New description; null for none.',
    type: String,
    nullable: true,
    pattern: TEXT.pattern,
    maxLength: DESCRIPTION.max,
  })
  @IsOptional()
  @IsDescription()
  readonly description?: string | null;

  @ApiPropertyOptional({
    description: 'The whole set of restrictions. Keys that are in the workspace stay.',
    type: 'array',
    items: { type: 'string', ...RESTRICTION_SCHEMA },
    maxItems: RESTRICTIONS.max,
  })
  @MayBeAbsent()
  @IsRestrictions()
  readonly restrictions?: string[];
}
