import { TrackingString } from '../http/field-decorators.js';
import type { Caller } from '../http/caller.js';
import { notFound, Refusal } from '../kernel/errors.js';

/** A path that names one end user (docs/api.md 5.5), decoded. */
export class EndUserPath {
  @TrackingString('Tracking string, percent-encoded. The list finds `.` and `..`.')
  readonly user: string = '';
}

/**
 * Whether a path can name an end user. Most clients resolve the segments `.` and `..` before they send a request, so
 * these segments name no end user.
 */
export function isAddress({ user }: EndUserPath): boolean {
  return user !== '.' && user !== '..';
}

/** Returns the tracking string of a path. @throws Refusal when the path cannot name an end user. */
export function addressed(path: EndUserPath): string {
  if (!isAddress(path)) throw notFound();
  return path.user;
}

/** Returns the id of the caller's organization. @throws Refusal for an individual account (docs/api.md 5.4). */
export function organizationOf({
  accountKind,
  accountId,
}: Pick<Caller, 'accountKind' | 'accountId'>): string {
  if (accountKind !== 'organization') throw new Refusal('organization-required');
  return accountId;
}
