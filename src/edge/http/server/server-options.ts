import type { ServerOptions } from 'node:http';

/** How long a request may take to arrive, by Node's own options (docs/api.md 1.6). */
export const SERVER_OPTIONS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  // Node looks for late requests once in this time, by default every 30 s.
  connectionsCheckingInterval: 1_000,
};

/** How long a connection with a request may stay open while nothing moves on it. */
export const CONNECTION_SILENCE_MS = 60_000;
