import type { NestExpressApplication } from '@nestjs/platform-express';

/**
 * Makes Express answer requests with `If-None-Match: *` like all other requests, not with a 304 without a body. Only
 * the answers of `serveKept` have an `ETag`, and `serveKept` compares the `ETag` itself.
 */
export function answerUnconditionally(app: NestExpressApplication): void {
  const { request } = app.getHttpAdapter().getInstance() as { readonly request: object };
  Object.defineProperty(request, 'fresh', { value: false });
}
