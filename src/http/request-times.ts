import type { ServerOptions } from 'node:http';

/** How long a request may take to arrive, in milliseconds from its first byte on. */
export interface RequestTimes {
  readonly headersMs: number;
  /** Of all of it. */
  readonly bodyMs: number;
}

/** How often Node looks for requests that take too long, so that none takes much longer. */
const LOOKS = 8;
const MOST_OFTEN_MS = 20;
const LEAST_OFTEN_MS = 1_000;

/** Node's own time-outs of requests (docs/api.md 1.6); what they end is answered by `socket-errors.ts`. */
export function requestTimeouts({ headersMs, bodyMs }: RequestTimes): ServerOptions {
  const headersTimeout = Math.min(headersMs, bodyMs);
  const often = Math.max(MOST_OFTEN_MS, headersTimeout / LOOKS);
  return {
    headersTimeout,
    requestTimeout: bodyMs,
    connectionsCheckingInterval: Math.min(LEAST_OFTEN_MS, Math.floor(often)),
  };
}
