import type { EndUser } from './end-user.js';

/** An end user as callers see it (docs/api.md 5.1). */
export type EndUserRecord = Pick<EndUser, 'user' | 'is_active' | 'created_at' | 'updated_at'>;

export function presentEndUser({
  user,
  is_active,
  created_at,
  updated_at,
}: EndUserRecord): EndUserRecord {
  return { user, is_active, created_at, updated_at };
}
