import type { ServerOptions } from 'node:http';

/** How long a request may take to arrive, in milliseconds from its first byte on. */
export interface RequestTimes {
  readonly headersMs: number;
  /** The limit of the whole request. */
  readonly bodyMs: number;
}

/** How many times Node checks a request within its time limit. */
const LOOKS = 8;
const MOST_OFTEN_MS = 20;
const LEAST_OFTEN_MS = 1_000;

/** Gives Node's time-outs of requests (docs/api.md 1.6). `socket-errors.ts` answers a request that times out. */
export function requestTimeouts({ headersMs, bodyMs }: RequestTimes): ServerOptions {
  const headersTimeout = Math.min(headersMs, bodyMs);
  const often = Math.max(MOST_OFTEN_MS, headersTimeout / LOOKS);
  return {
    headersTimeout,
    requestTimeout: bodyMs,
    connectionsCheckingInterval: Math.min(LEAST_OFTEN_MS, Math.floor(often)),
  };
}
