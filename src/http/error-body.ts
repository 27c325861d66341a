/** The body of every answer that is an error (docs/api.md 7). */
export interface ErrorBody {
  readonly error: {
    /** Equal to the HTTP status. */
    readonly code: number;
    readonly message: string;
    readonly metadata: Readonly<Record<string, unknown>> | null;
  };
  readonly service_metadata: { readonly request_id: string | null };
  readonly user_id: string | null;
}

export function errorBody(
  { status, message }: { readonly status: number; readonly message: string },
  about: {
    readonly metadata?: Readonly<Record<string, unknown>> | null;
    readonly requestId?: string | undefined;
    readonly userId?: string | undefined;
  },
): ErrorBody {
  return {
    error: { code: status, message, metadata: about.metadata ?? null },
    service_metadata: { request_id: about.requestId ?? null },
    user_id: about.userId ?? null,
  };
}
