import { ApiSchema, PickType } from '@nestjs/swagger';
import {
  Flag,
  ShownTime,
  TRACKING_STRING_SCHEMA,
  TrackingString,
} from '../../edge/http/fields/field-decorators.js';
import { Paged } from '../../edge/http/fields/paging.js';
import { FlagParameter, Parameter } from '../../edge/http/fields/query-decorators.js';
import { BodySchema } from '../../edge/http/fields/mapped-fields.js';
import type { EndUser } from './domain/end-user.js';

/** An end user as callers see it (docs/api.md 5.1). Requests take their fields from this class. */
@ApiSchema({ name: 'EndUser' })
export class EndUserRecord {
  @TrackingString('Tracking ID: case-sensitive, without NUL and without surrounding white space.')
  readonly user!: string;

  @Flag(
    'Whether the registration is active. A request sets it: false deactivates, true reactivates.',
  )
  readonly is_active!: boolean;

  @ShownTime('Time of the registration.')
  readonly created_at!: string;

  @ShownTime('Time of the last deactivation or reactivation, or of the registration.')
  readonly updated_at!: string;
}

export function presentEndUser(endUser: Pick<EndUser, keyof EndUserRecord>): EndUserRecord {
  const { user, is_active, created_at, updated_at } = endUser;
  return { user, is_active, created_at, updated_at };
}

/** The body of `POST /v1/end-users` (docs/api.md 5.2). Unknown fields are refused. */
@BodySchema({ additionalProperties: false, example: { user: 'customer-42' } })
export class RegisterEndUserRequest extends PickType(EndUserRecord, ['user']) {}

/** The body of `PATCH /v1/end-users/{user}` (docs/api.md 5.6). Unknown fields are refused. */
@BodySchema({ additionalProperties: false, example: { is_active: false } })
export class UpdateEndUserRequest extends PickType(EndUserRecord, ['is_active']) {}

export const END_USER_IN_PATH = {
  name: 'user',
  description: 'Tracking ID, percent-encoded. For `.` and `..`, use the filter of the list.',
  ...TRACKING_STRING_SCHEMA,
};

/** A path that names one end user (docs/api.md 5.5), decoded. */
export class EndUserPath {
  @TrackingString(END_USER_IN_PATH.description)
  readonly user!: string;
}

export class ListEndUsersRequest extends Paged(50) {
  @Parameter(TrackingString('Only the end user with exactly this tracking ID.'))
  readonly user?: string;

  @FlagParameter('Whether deactivated end users are listed and counted too.')
  readonly include_inactive?: string;
}
