import { ApiSchema } from '@nestjs/swagger';
import type { DescribedRecord } from '../http/described-answers.js';
import type { EndUser } from './domain/end-user.js';
import { EndUserFields } from './end-user.fields.js';

@ApiSchema({ name: 'EndUser' })
class EndUserShape extends EndUserFields {}

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

/** The record of an end user as the OpenAPI document describes it. */
export const describedEndUser: DescribedRecord<EndUserRecord> = {
  shape: EndUserShape,
  example: {
    user: 'customer-42',
    is_active: true,
    created_at: '2026-01-05T09:30:00.000Z',
    updated_at: '2026-01-05T09:30:00.000Z',
  },
};
