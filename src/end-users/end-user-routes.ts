import { TrackingString } from '../http/field-decorators.js';
import { IsGivenOnce } from '../http/field-rules.js';
import type { Caller } from '../http/caller.js';
import { notFound, Refusal } from '../kernel/errors.js';

/** The paths of end users (docs/api.md 1.1): the second is another name of the first. */
export const END_USER_ROUTES = ['v1/end-users', 'v1/external-users'];

/** A path that names one end user (docs/api.md 5.5), decoded. */
export class EndUserPath {
  @TrackingString('Tracking string, percent-encoded. The list finds `.` and `..`.')
  readonly user: string = '';
}

/** A query that names one end user where the path does not (docs/api.md 5.7). Unknown parameters are ignored. */
export class EndUserQuery {
  @TrackingString('Tracking string. It must be given, once.')
  @IsGivenOnce()
  readonly user: string = '';
}

/**
 * Whether a path can name an end user. Most clients resolve a segment of dots before they send it, so such a segment
 * names nobody.
 */
export function isAddress({ user }: EndUserPath): boolean {
  return user !== '.' && user !== '..';
}

/** The tracking string of a path. @throws Refusal when the path can name nobody. */
export function addressed(path: EndUserPath): string {
  if (!isAddress(path)) throw notFound();
  return path.user;
}

/** The id of the caller's organization. @throws Refusal for an individual account (docs/api.md 5.4). */
export function organizationOf({ accountKind, accountId }: Caller): string {
  if (accountKind !== 'organization') throw new Refusal('organization-required');
  return accountId;
}

/** The place where a request names the end user whom it changes. */
export type EndUserPlace = 'path' | 'query';

/** The words that tell an operation by query from the same one by path (docs/api.md 5.7). */
export const NAMED: Readonly<Record<EndUserPlace, { title: string; text: string }>> = {
  path: { title: '', text: '' },
  query: {
    title: ', named in the query',
    text: ' The same as by path, for any tracking string, . and .. included. A proxy that decodes paths leaves a query as it is.',
  },
};
