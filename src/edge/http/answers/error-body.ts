/** The reason, the status and the message of an error, in most cases from the tables in error-table.ts. */
export interface ErrorAnswer {
  readonly reason: string;
  readonly status: number;
  readonly message: string;
}

/** The `reason`, and details of some errors. */
interface Metadata extends Readonly<Record<string, unknown>> {
  readonly reason: string;
}

/**
 * Makes the body of every answer that is an error (docs/api.md 7).
 * @param about the request id, the user id, and the metadata without the reason.
 */
export function errorBody(
  { reason, status, message }: ErrorAnswer,
  about: {
    readonly metadata?: Readonly<Record<string, unknown>> | null;
    readonly requestId?: string | undefined;
    readonly userId?: string | undefined;
  },
) {
  const metadata: Metadata = { reason, ...about.metadata };
  return {
    error: { code: status, message, metadata },
    service_metadata: { request_id: about.requestId ?? null },
    user_id: about.userId ?? null,
  };
}

export type ErrorBody = ReturnType<typeof errorBody>;
