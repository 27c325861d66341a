import { ApiProperty } from '@nestjs/swagger';
import { TEXT } from '../http/field-schemas.js';
import { IsUserIds, USER_IDS } from './workspace-rules.js';

/** The body of the routes that add and remove members (docs/api.md 2.7). Unknown fields are ignored. */
export class WorkspaceMembersRequest {
  @ApiProperty({
    description: 'Members of the account. A user who is named twice counts once.',
    type: 'array',
    items: { type: 'string', ...TEXT },
    minItems: USER_IDS.min,
    maxItems: USER_IDS.max,
  })
  @IsUserIds()
  readonly user_ids: string[] = [];
}
