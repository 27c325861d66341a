import type { Position } from './position.js';

/** The stable code of each refusal. `http/` and the command line translate the codes into messages. */
export type RefusalCode =
  | 'authentication-missing'
  | 'authentication-malformed'
  | 'key-invalid'
  | 'not-a-management-key'
  | 'key-disabled'
  | 'key-expired'
  | 'request-invalid'
  | 'no-update-fields'
  | 'too-many-to-count'
  | 'body-too-large'
  | 'change-too-large'
  | 'encoding-unsupported'
  | 'rate-limited'
  | 'too-many-streams'
  | 'http-version-unsupported'
  | 'too-many-authentication-failures'
  | 'not-found'
  | 'organization-required'
  | 'workspace-unknown'
  | 'workspace-gone'
  | 'restrictions-incompatible'
  | 'creator-not-a-member'
  | 'end-user-already-registered'
  | 'workspace-slug-taken'
  | 'workspace-holds-keys'
  | 'default-workspace-not-deletable'
  | 'default-workspace-members-fixed'
  | 'member-unknown'
  | 'account-already-exists'
  | 'account-is-individual'
  | 'member-already-added'
  | 'owner-not-removable'
  | 'workspace-member-already-added'
  | 'workspace-member-unknown'
  | 'management-key-already-revoked'
  | 'quota-exceeded'
  | 'too-many-writers'
  | 'too-many-verifications'
  | 'key-missing'
  | 'key-ambiguous'
  | 'wrong-workspace'
  | 'limit-exceeded'
  | 'gateway-unauthorized';

/** A rule refuses the request, and nothing was changed. `details` is safe to show to the caller. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: RefusalCode,
    readonly details: Readonly<Record<string, unknown>> | null = null,
    /** The log position that the answer reflects at least, when a read model was asked. */
    readonly position?: Position,
  ) {
    super(code);
  }
}

/**
 * The refusal of an object that does not exist or belongs to another account.
 * Both get the same answer, so callers cannot probe for objects of others.
 * @param position the log position that the answer reflects at least, when a read model was asked.
 */
export function notFound(position?: Position): Refusal {
  return new Refusal('not-found', null, position);
}

/** The objects that an account may have a limited number of. */
export type Quota = 'workspaces' | 'management-keys' | 'members' | 'workspace-members' | 'api-keys';

/** The refusal of an object beyond a quota of the account (docs/api.md 2.9). */
export function quotaExceeded(quota: Quota, limit: number): Refusal {
  return new Refusal('quota-exceeded', { quota, limit });
}

/**
 * The refusal of several filters of which each alone has more keys than the service looks at (docs/api.md 3.7).
 * @param counts how many keys each filter has, by its name.
 */
export function tooManyToCount(
  limit: number,
  counts: Readonly<Record<string, number>>,
  position?: Position,
): Refusal {
  return new Refusal('too-many-to-count', { limit, counts }, position);
}

/** The body of a request has more bytes than the service reads (docs/api.md 7). */
export function bodyTooLarge(limitBytes: number): Refusal {
  return new Refusal('body-too-large', { limit_bytes: limitBytes });
}

/** The events of a change have more bytes than the event log takes in one append (docs/api.md 7). */
export function changeTooLarge(limitBytes: number): Refusal {
  return new Refusal('change-too-large', { limit_bytes: limitBytes });
}

/** A part that the service depends on cannot be reached or cannot write at present. A later attempt may succeed. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';

  /** @param part the name of the part for an operator: `event log`, `read store`. */
  constructor(
    readonly part: string,
    cause: unknown,
  ) {
    super(`${part} unavailable: ${messageOf(cause)}`, { cause });
  }
}

/** The answer needs an event that this release cannot read. A later release can give it, or an operator mends it. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';

  /** @param message names the event, for an operator. */
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** A part that the service depends on denies access. Only an operator can mend that, so a start does not wait. */
export class Denied extends Error {
  override readonly name = 'Denied';

  /** @param part the name of the part, as for `Unavailable`. @param message describes the fault for an operator. */
  constructor(
    readonly part: string,
    message: string,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

/** Gives the message of a thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
