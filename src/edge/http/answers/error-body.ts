/** An error as it is answered, in most cases from the tables in error-table.ts. */
export interface ErrorAnswer {
  readonly reason: string;
  readonly status: number;
  readonly message: string;
  /** The metadata without the reason. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the body of every answer that is an error (docs/api.md 7). */
export function errorBody(
  { reason, status, message, metadata }: ErrorAnswer,
  requestId: string | undefined,
  userId?: string,
) {
  const details: Record<string, unknown> & { readonly reason: string } = { reason, ...metadata };
  return {
    error: { code: status, message, metadata: details },
    service_metadata: { request_id: requestId ?? null },
    user_id: userId ?? null,
  };
}

export type ErrorBody = ReturnType<typeof errorBody>;
