import { TrackingString } from '../../edge/http/fields/field-decorators.js';
import type { Caller } from '../../edge/http/callers/caller.js';
import { notFound, Refusal } from '../../kernel/errors.js';

/** A path that names one end user (docs/api.md 5.5), decoded. */
export class EndUserPath {
  @TrackingString('Tracking string, percent-encoded. The list finds `.` and `..`.')
  readonly user: string = '';
}

/**
 * Returns the tracking string of a path. Most clients resolve the segments `.` and `..` before they send a request, so
 * these segments name no end user. @throws Refusal for them.
 */
export function addressed({ user }: EndUserPath): string {
  if (user === '.' || user === '..') throw notFound();
  return user;
}

/** Returns the id of the caller's organization. @throws Refusal for an individual account (docs/api.md 5.4). */
export function organizationOf({
  accountKind,
  accountId,
}: Pick<Caller, 'accountKind' | 'accountId'>): string {
  if (accountKind !== 'organization') throw new Refusal('organization-required');
  return accountId;
}
