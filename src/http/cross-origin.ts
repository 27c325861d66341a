import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { allowedMethods } from './matching-routes.js';

/** The paths that pages of other origins may call: the API, but not probes, metrics and documents. */
const SHARED = /^\/v1(\/|$)/i;
/** How long a browser keeps the answer to a preflight. */
const MAX_AGE_SECONDS = 600;

/** The request headers that a page of another origin may send. */
const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Content-Encoding',
  'Idempotency-Key',
  'Keyledger-Consistency',
  'X-Request-Id',
  'Traceparent',
  'Tracestate',
];

/** The headers of an answer that a page may read, besides the headers that browsers always let pages read. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Log-Position',
  'Keyledger-Stale',
  'Link',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

/**
 * Lets pages of other origins call the API (docs/api.md 1.9). Call this after `serveAuthorization`, because a gateway
 * would treat the 204 of a preflight as permission.
 * @param origins the allowed origins. If empty, no answer has a CORS header.
 */
export function shareWithOrigins(app: NestExpressApplication, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const shared = {
    origin: [...origins],
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: MAX_AGE_SECONDS,
  };
  const isShared = new Set<string | undefined>(origins);
  app.enableCors((request: Request, done) => {
    const { method, path, headers } = request;
    const methods = method === 'OPTIONS' ? allowedMethods(request) : [];
    const isPreflight =
      methods.length > 0 &&
      isShared.has(headers.origin) &&
      headers['access-control-request-method'] !== undefined;
    // Any other OPTIONS request gets the 404 or 405 of its path.
    const isAnswered = SHARED.test(path) && (method !== 'OPTIONS' || isPreflight);
    done(null, isAnswered ? { ...shared, methods } : { origin: false });
  });
}
