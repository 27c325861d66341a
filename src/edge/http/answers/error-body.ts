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

/** The reason, the status and the message of an error, in most cases from the tables in error-table.ts. */
export interface ErrorAnswer {
  readonly reason: string;
  readonly status: number;
  readonly message: string;
}

/** Makes the body of an error. @param about the request id, the user id, and the metadata without the reason. */
export function errorBody(
  { reason, status, message }: ErrorAnswer,
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
