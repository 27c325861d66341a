/** A fault of a field that the service found, such as `external.user`. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

interface Details {
  /** The status of the answer; absent when there was no answer. */
  readonly status?: number;
  readonly requestId?: string | undefined;
  /** After how many seconds a repeat makes sense, as the service said. */
  readonly retryAfter?: number | undefined;
  readonly issues?: readonly Issue[] | undefined;
  /** Whether a 404 may be out of date (docs/api.md 6.3). */
  readonly isStale?: boolean;
  /** Whether the change was made all the same. */
  readonly isStored?: boolean;
}

/** A request that failed, in the words of the service (docs/api.md 7). */
export class Failure extends Error {
  override readonly name = 'Failure';

  constructor(
    message: string,
    readonly details: Details = {},
  ) {
    super(message);
  }
}

interface ErrorBody {
  readonly error?: {
    readonly message?: string;
    readonly metadata?: { readonly reason?: string; readonly issues?: readonly Issue[] };
  };
  readonly service_metadata?: { readonly request_id?: string } | null;
}

const NO_ANSWER =
  'The service did not answer. The network may be down, or a sign-on in front of the service may have ended: then load this page again.';
export const CHANGE_NOT_ANSWERED = `${NO_ANSWER} What you sent may have been done all the same: check before you send it again.`;
export const NO_KEYLEDGER = 'The answer is not one of Keyledger. Load this page again.';

/** Makes a failure of an error answer. A proxy may have sent it, in a form of its own. */
export function failureOf(body: unknown, { status, headers }: Response): Failure {
  const { error, service_metadata: service } = bodyOf(body);
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return new Failure(error?.message ?? `${NO_KEYLEDGER} Its status is ${status}.`, {
    status,
    requestId: service?.request_id ?? headers.get('X-Request-Id') ?? undefined,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    issues: error?.metadata?.issues,
    isStale: isMarkedStale(headers),
    isStored: error?.metadata?.reason === 'stored-usage-unknown',
  });
}

/** Whether the service marked an answer as out of date. */
export function isMarkedStale(headers: Headers): boolean {
  return headers.get('Keyledger-Stale') === 'true';
}

function bodyOf(body: unknown): ErrorBody {
  return typeof body === 'object' && body !== null ? body : {};
}

/** Makes a failure of what was thrown instead of an answer. */
export function thrownFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  return new Failure(thrown instanceof SyntaxError ? NO_KEYLEDGER : NO_ANSWER);
}

/** Says what to do about a failure, where its status says more than its message. */
export function adviceFor({ details }: Failure): string | null {
  const { status, retryAfter, isStale, isStored } = details;
  if (isStored) return null;
  if (isStale) return 'The service is catching up, so this may be out of date: try again.';
  const wait = retryAfter === undefined ? 'shortly' : `in ${retryAfter} s`;
  if (status === 429) return `Too many requests: try again ${wait}.`;
  if (status === 503) return `The service cannot do this at the moment: try again ${wait}.`;
  return null;
}
