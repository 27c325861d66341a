import type { Caller } from '../http/caller.js';
import { Refusal } from '../kernel/errors.js';

/** The id of the caller's organization. An individual account has none: 404 (docs/api.md 5.4). */
export function organizationOf({ accountKind, accountId }: Caller): string {
  if (accountKind !== 'organization') throw new Refusal('organization-required');
  return accountId;
}
