import { ApiProperty } from '@nestjs/swagger';
import { IsTrackingString } from '../../http/field-rules.js';
import { TRACKING_STRING } from '../../http/field-schemas.js';

/** The body of `POST /v1/end-users` (docs/api.md 5.2). Unknown fields are refused. */
export class RegisterEndUserRequest {
  @ApiProperty({
    description:
      'Tracking string: case-sensitive, without NUL and without surrounding white space.',
    ...TRACKING_STRING,
  })
  @IsTrackingString()
  readonly user: string = '';
}
