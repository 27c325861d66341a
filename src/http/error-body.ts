/** The body of every answer that is an error (docs/api.md 7). */
export interface ErrorBody {
  readonly error: {
    /** Equal to the HTTP status. */
    readonly code: number;
    readonly message: string;
    /** `reason` is the stable slug of the error. */
    readonly metadata: Readonly<Record<string, unknown>> & { readonly reason: string };
  };
  readonly service_metadata: { readonly request_id: string | null };
  readonly user_id: string | null;
}

/** An error as the two tables of errors say it. */
export interface ToldError {
  readonly reason: string;
  readonly status: number;
  readonly message: string;
}

/** @param about what the error says besides its reason, and whose request it answers. */
export function errorBody(
  { reason, status, message }: ToldError,
  about: {
    readonly metadata?: Readonly<Record<string, unknown>> | null;
    readonly requestId?: string | undefined;
    readonly userId?: string | undefined;
  },
): ErrorBody {
  return {
    error: { code: status, message, metadata: { reason, ...about.metadata } },
    service_metadata: { request_id: about.requestId ?? null },
    user_id: about.userId ?? null,
  };
}
