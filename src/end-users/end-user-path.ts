import { ApiProperty } from '@nestjs/swagger';
import { IsTrackingString } from '../http/field-rules.js';
import { notFound } from '../kernel/errors.js';
import { TRACKING_STRING_MAX_LENGTH } from '../kernel/tracking-string.js';

/** What the path of one end user names (docs/api.md 5.5), decoded. */
export class EndUserPath {
  @ApiProperty({
    description: 'Tracking string, percent-encoded. Those that are . or .. are found by the list.',
    minLength: 1,
    maxLength: TRACKING_STRING_MAX_LENGTH,
  })
  @IsTrackingString()
  readonly user: string = '';
}

/**
 * The tracking string of a path. A segment of dots is no name to most clients, who resolve it before they send;
 * so it names nobody for those who do not. @throws Refusal
 */
export function addressed({ user }: EndUserPath): string {
  if (user === '.' || user === '..') throw notFound();
  return user;
}
