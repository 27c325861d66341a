import type { Position } from './position.js';

/** Everything the service refuses by rule, in words that stay. `http/` and the command line translate them. */
export type RefusalCode =
  | 'authentication-missing'
  | 'authentication-malformed'
  | 'key-invalid'
  | 'not-a-management-key'
  | 'key-disabled'
  | 'key-expired'
  | 'request-invalid'
  | 'no-update-fields'
  | 'body-too-large'
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
  | 'too-many-writers';

/** A request refused by a rule: nothing was changed. `details` is safe to show to the caller. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: RefusalCode,
    readonly details: Readonly<Record<string, unknown>> | null = null,
    /** That the answer reflects at least, where a read model was asked. */
    readonly position?: Position,
  ) {
    super(code);
  }
}

/**
 * What does not exist and what belongs to another account is refused with this one value,
 * so that the two answers cannot be told apart.
 * @param position that the answer reflects at least, where a read model was asked.
 */
export function notFound(position?: Position): Refusal {
  return new Refusal('not-found', null, position);
}

/** Of what an account may have only so much. */
export type Quota = 'workspaces' | 'management-keys' | 'members' | 'workspace-members' | 'api-keys';

/** An account has as much of something as it may have (docs/api.md 2.9). */
export function quotaExceeded(quota: Quota, limit: number): Refusal {
  return new Refusal('quota-exceeded', { quota, limit });
}

/** A change is more than can be taken at once (docs/api.md 7). */
export function tooLarge(limitBytes: number): Refusal {
  return new Refusal('body-too-large', { limit_bytes: limitBytes });
}

/** A part the service depends on cannot be reached or cannot write at present. Worth trying again. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';

  /** @param part what is unavailable, in an operator's words: `event log`, `read store`. */
  constructor(
    readonly part: string,
    cause: unknown,
  ) {
    super(`${part} unavailable: ${messageOf(cause)}`, { cause });
  }
}

/** A part the service depends on refuses the service itself. Only an operator can mend that, so a start does not wait. */
export class Denied extends Error {
  override readonly name = 'Denied';

  /** @param part that refuses, as that of `Unavailable`. @param message what is wrong, for an operator. */
  constructor(
    readonly part: string,
    message: string,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

/** What was thrown, in words. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
