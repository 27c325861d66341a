import type { NestExpressApplication } from '@nestjs/platform-express';

/**
 * Answers requests with `If-None-Match: *` like any other request. Express would answer 304 without a body, although no
 * answer has an `ETag`. Files have one, and the route of files compares by itself.
 */
export function answerUnconditionally(app: NestExpressApplication): void {
  const { request } = app.getHttpAdapter().getInstance() as { readonly request: object };
  Object.defineProperty(request, 'fresh', { value: false });
}
