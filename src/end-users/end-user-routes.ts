import { TrackingString } from '../http/field-decorators.js';
import { IsGivenOnce } from '../http/field-rules.js';
import type { Caller } from '../http/caller.js';
import { notFound, Refusal } from '../kernel/errors.js';

/** The paths of end users (docs/api.md 1.1). The second path is an alias of the first path. */
export const END_USER_ROUTES = ['v1/end-users', 'v1/external-users'];

/** A path that names one end user (docs/api.md 5.5), decoded. */
export class EndUserPath {
  @TrackingString('Tracking string, percent-encoded. The list finds `.` and `..`.')
  readonly user: string = '';
}

/** The query parameters of routes that name one end user in the query (docs/api.md 5.7). Ignores unknown parameters. */
export class EndUserQuery {
  @TrackingString('Tracking string. It must be given, once.')
  @IsGivenOnce()
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

/** The part of a request that names the end user. */
export type EndUserPlace = 'path' | 'query';

/** The words that distinguish an operation by query from the same operation by path (docs/api.md 5.7). */
export const NAMED: Readonly<Record<EndUserPlace, { title: string; text: string }>> = {
  path: { title: '', text: '' },
  query: {
    title: ', named in the query',
    text: ' Does the same as the operation by path, for every tracking string, . and .. included. A proxy that decodes paths leaves a query as it is.',
  },
};
