import { ApiProperty } from '@nestjs/swagger';
import { IsTrackingString } from '../http/field-rules.js';
import { TRACKING_STRING } from '../http/field-schemas.js';
import { notFound } from '../kernel/errors.js';

/** What the path of one end user names (docs/api.md 5.5), decoded. */
export class EndUserPath {
  @ApiProperty({
    description: 'Tracking string, percent-encoded. Those that are . or .. are found by the list.',
    ...TRACKING_STRING,
  })
  @IsTrackingString()
  readonly user: string = '';
}

/**
 * Whether a path can name an end user. A segment of dots is no name to most clients, who resolve it before they send;
 * so it names nobody for those who do not.
 */
export function isAddress({ user }: EndUserPath): boolean {
  return user !== '.' && user !== '..';
}

/** The tracking string of a path. @throws Refusal when it can name nobody. */
export function addressed(path: EndUserPath): string {
  if (!isAddress(path)) throw notFound();
  return path.user;
}
