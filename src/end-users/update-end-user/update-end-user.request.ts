import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';

/** The body of `PATCH /v1/end-users/{user}` (docs/api.md 5.6). Unknown fields are refused. */
export class UpdateEndUserRequest {
  @ApiProperty({ description: 'False deactivates, true reactivates.', type: Boolean })
  @IsBoolean()
  readonly is_active?: boolean;
}
