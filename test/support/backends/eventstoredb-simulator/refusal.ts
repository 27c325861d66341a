import { Metadata, status } from '@grpc/grpc-js';

const PRINTABLE = /^[\x20-\x7e]*$/;

/** An error that ends a call. Its trailers let the client make its own error. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly metadata = new Metadata();
  readonly code: status;
  readonly details: string;

  constructor(code: status, details: string, trailers: Readonly<Record<string, string>> = {}) {
    super(details);
    // A header cannot carry other text. The real server fails in the same way.
    const sendable = Object.values(trailers).every((value) => PRINTABLE.test(value));
    this.code = sendable ? code : status.UNKNOWN;
    this.details = sendable ? details : 'HTTP status code 500';
    if (!sendable) return;
    for (const [key, value] of Object.entries(trailers)) this.metadata.set(key, value);
  }
}

export function streamDeleted(stream: string): Refusal {
  return new Refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
}

export function wrongExpectedVersion(stream: string, expected: number, actual: number): Refusal {
  return new Refusal(status.FAILED_PRECONDITION, 'Append failed due to WrongExpectedVersion.', {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': String(expected),
    'actual-version': String(actual),
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
export type Failure = 'not-ready' | 'access-denied' | 'timeout' | 'internal';

export function failure(kind: Failure): Refusal {
  switch (kind) {
    case 'not-ready':
      return new Refusal(status.UNAVAILABLE, 'Server Is Not Ready');
    case 'access-denied':
      return new Refusal(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
    case 'timeout':
      return new Refusal(status.ABORTED, 'Operation timed out: commit timeout');
    case 'internal':
      return new Refusal(status.INTERNAL, 'Received RST_STREAM with code 2');
  }
}
