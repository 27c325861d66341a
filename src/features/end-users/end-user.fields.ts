import { Flag, ShownTime, TrackingString } from '../../edge/http/fields/field-decorators.js';

/** Every field of an end user (docs/api.md 5.1). Requests and answers take their fields from this class. */
export class EndUserFields {
  @TrackingString(
    'Tracking string: case-sensitive, without NUL and without surrounding white space.',
  )
  readonly user: string = '';

  @Flag(
    'Whether the registration is active. A request sets it: false deactivates, true reactivates.',
  )
  readonly is_active: boolean = false;

  @ShownTime('Time of the registration.')
  readonly created_at: string = '';

  @ShownTime('Time of the last deactivation or reactivation, or of the registration.')
  readonly updated_at: string = '';
}
