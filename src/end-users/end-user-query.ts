import { ApiProperty } from '@nestjs/swagger';
import { IsGivenOnce, IsTrackingString } from '../http/field-rules.js';
import { TRACKING_STRING } from '../http/field-schemas.js';

/** The query that names one end user where the path does not (docs/api.md 5.7). Unknown parameters are ignored. */
export class EndUserQuery {
  @ApiProperty({ description: 'Tracking string. It must be given, once.', ...TRACKING_STRING })
  @IsTrackingString()
  @IsGivenOnce()
  readonly user: string = '';
}
