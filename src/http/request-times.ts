import type { ServerOptions } from 'node:http';

/** The time limits for the arrival of a request, in milliseconds from the first byte of the request. */
export interface RequestTimes {
  readonly headersMs: number;
  /** The limit for the whole request. */
  readonly bodyMs: number;
}

/** The number of times that Node checks a request within the time limit for headers. */
const LOOKS = 8;
const MOST_OFTEN_MS = 20;
const LEAST_OFTEN_MS = 1_000;

/** Returns Node's options for time-outs (docs/api.md 1.6). `socket-errors.ts` answers a request that times out. */
export function requestTimeouts({ headersMs, bodyMs }: RequestTimes): ServerOptions {
  const headersTimeout = Math.min(headersMs, bodyMs);
  const often = Math.max(MOST_OFTEN_MS, headersTimeout / LOOKS);
  return {
    headersTimeout,
    requestTimeout: bodyMs,
    connectionsCheckingInterval: Math.min(LEAST_OFTEN_MS, Math.floor(often)),
  };
}
