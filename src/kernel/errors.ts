import type { RefusalCode } from './refusals.js';

/**
 * The error when a rule refuses a request, before any change but for `stored-usage-unknown`.
 * `details` are safe to answer.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: RefusalCode,
    readonly details: Readonly<Record<string, unknown>> | null = null,
    /** Whether it may lack writes that were answered before the query, like `Read.isLate`. */
    readonly isLate = false,
  ) {
    super(code);
  }
}

/**
 * Creates the refusal for an object that does not exist or belongs to another account.
 * Both cases get the same answer, so callers cannot probe for objects of other accounts.
 */
export function notFound(): Refusal {
  return new Refusal('not-found');
}

/** The kinds of objects that an account may have only a limited number of. */
export type Quota = 'workspaces' | 'management-keys' | 'members' | 'workspace-members' | 'api-keys';

/** Creates the refusal for an object that would exceed a quota of the account (docs/api.md 2.9). */
export function quotaExceeded(quota: Quota, limit: number): Refusal {
  return new Refusal('quota-exceeded', { quota, limit });
}

/** Creates the refusal for a change with too many bytes for one append (docs/api.md 7). */
export function changeTooLarge(limitBytes: number): Refusal {
  return new Refusal('change-too-large', { limit_bytes: limitBytes });
}

/** The error when a needed part cannot be reached or cannot write now. A retry may succeed. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';

  /**
   * @param part the name of the part, for an operator, such as `event log` or `read store`.
   * @param problem the text to show instead of the message of the cause.
   */
  constructor(
    readonly part: string,
    cause: unknown,
    readonly problem = messageOf(cause),
  ) {
    super(`${part} unavailable: ${problem}`, { cause });
  }
}

/** The error for an event that this build cannot read. A newer build or an operator may help. */
export class Unreadable extends Error {
  override readonly name: string = 'Unreadable';

  /** @param message names the event, for an operator. */
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** The error when a needed part denies access. Only an operator helps: start-up does not wait. */
export class Denied extends Error {
  override readonly name = 'Denied';

  /** @param part such as `event log`. @param message describes the fault for an operator. */
  constructor(
    readonly part: string,
    message: string,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

/** Whether an error says that a part gives no answer now, or none that this build can read. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof Unavailable || error instanceof Denied || error instanceof Unreadable;
}

/** Waits for a read after a change that is stored: no error may say that nothing was changed. */
export function afterChange<Found>(read: Promise<Found>): Promise<Found> {
  return read.catch((error: unknown) => {
    throw isOutOfReach(error) ? new Refusal('stored-usage-unknown') : error;
  });
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
