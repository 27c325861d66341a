import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
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

/** The body of `POST /v1/workspaces` (docs/api.md 2.6). Unknown fields are ignored; null is absent. */
export class CreateWorkspaceRequest {
  @ApiProperty({
    description: 'Name of the workspace.',
    ...NAME_SCHEMA,
  })
  @IsWorkspaceName()
  readonly name: string = '';

  @ApiPropertyOptional({
    description: 'Unique in the account; made of the name when absent.',
    type: String,
    nullable: true,
    ...SLUG,
  })
  @IsOptional()
  @IsSlug()
  readonly slug?: string | null;

  @ApiPropertyOptional({
    description: 'What it is for; null for none.',
    type: String,
    nullable: true,
    pattern: TEXT.pattern,
    maxLength: DESCRIPTION.max,
  })
  @IsOptional()
  @IsDescription()
  readonly description?: string | null;

  @ApiPropertyOptional({
    description: 'A set of restrictions; none when absent.',
    type: 'array',
    nullable: true,
    items: { type: 'string', ...RESTRICTION_SCHEMA },
    maxItems: RESTRICTIONS.max,
  })
  @IsOptional()
  @IsRestrictions()
  readonly restrictions?: string[] | null;
}
