import { ApiProperty } from '@nestjs/swagger';
import { Flag, Shown, ShownTime, Text, Texts } from '../../edge/http/fields/field-decorators.js';
import { rule } from '../../edge/http/fields/field-rules.js';
import { isSlug, MAX_SLUG_LENGTH, SLUG_PATTERN } from './domain/slug.js';

export const NAME = { max: 100, visible: true };
export const RESTRICTIONS = { min: 0, max: 32 };
export const RESTRICTION = { max: 64, visible: true };

/** Every field of a workspace (docs/api.md 2.6). Requests and answers take their fields from this class. */
export class WorkspaceFields {
  @Shown('Id of the workspace.', { type: String, format: 'uuid' })
  readonly id: string = '';

  @Text('Name of the workspace.', NAME)
  readonly name: string = '';

  @ApiProperty({
    description:
      'Name of the workspace in paths, unique in the account, and no UUID. Without a slug, the service makes one from the name.',
    type: String,
    minLength: 1,
    maxLength: MAX_SLUG_LENGTH,
    pattern: SLUG_PATTERN.source,
  })
  @IsSlug()
  readonly slug: string = '';

  @Text('Purpose of the workspace; null for none.', { min: 0, max: 500, nullable: true })
  readonly description: string | null = null;

  @Texts('Set of restrictions.', RESTRICTIONS, RESTRICTION)
  readonly restrictions: readonly string[] = [];

  @Flag('Whether the workspace is the default workspace of its account.')
  readonly is_default: boolean = false;

  @Shown('User who created the workspace; null when the operator or the service did.', {
    type: String,
    nullable: true,
  })
  readonly created_by: string | null = null;

  @ShownTime('Time of the creation.')
  readonly created_at: string = '';

  @ShownTime('Time of the last change; null when the workspace was never changed.', {
    nullable: true,
  })
  readonly updated_at: string | null = null;
}

function IsSlug(): PropertyDecorator {
  return rule(
    'isSlug',
    (value) => typeof value === 'string' && isSlug(value),
    `must be 1 to ${MAX_SLUG_LENGTH} of a-z, 0-9 and single hyphens between them, and no UUID`,
  );
}
