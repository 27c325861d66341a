import { Metadata, status } from '@grpc/grpc-js';

/** An error that ends a call. Its trailers let the client make its own error. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly metadata = new Metadata();

  constructor(
    readonly code: status,
    readonly details: string,
    trailers: Readonly<Record<string, string>> = {},
  ) {
    super(details);
    for (const [key, value] of Object.entries(trailers)) this.metadata.set(key, value);
  }
}

export function streamDeleted(stream: string): Refusal {
  return new Refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
}

export function appendTooLarge(limit: number): Refusal {
  return new Refusal(status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(limit),
  });
}

export function notLeader(host: string, port: number): Refusal {
  return new Refusal(status.NOT_FOUND, `Leader info available at ${host}:${port}`, {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });
}

/** Errors that a healthy server does not send. */
export type Failure = 'not-ready' | 'access-denied' | 'unauthenticated' | 'timeout' | 'internal';

export function failure(kind: Failure): Refusal {
  switch (kind) {
    case 'not-ready':
      return new Refusal(status.UNAVAILABLE, 'Server Is Not Ready');
    case 'access-denied':
      return new Refusal(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
    case 'unauthenticated':
      return new Refusal(status.UNAUTHENTICATED, '');
    case 'timeout':
      return new Refusal(status.ABORTED, 'Operation timed out: commit timeout');
    case 'internal':
      return new Refusal(status.INTERNAL, 'Received RST_STREAM with code 2');
  }
}
