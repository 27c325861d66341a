import { ApiSchema } from '@nestjs/swagger';
import type { EndUser } from './domain/end-user.js';
import { EndUserFields } from './end-user.fields.js';

@ApiSchema({ name: 'EndUser' })
export class EndUserShape extends EndUserFields {}

/** An end user as callers see it (docs/api.md 5.1). */
export type EndUserRecord = Pick<EndUserShape, keyof EndUserShape>;

/** Returns the record of an end user (docs/api.md 5.1). */
export function presentEndUser({
  user,
  is_active,
  created_at,
  updated_at,
}: Pick<EndUser, keyof EndUserRecord>): EndUserRecord {
  return { user, is_active, created_at, updated_at };
}
