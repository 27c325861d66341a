import type { NestExpressApplication } from '@nestjs/platform-express';

/**
 * Lets requests with `If-None-Match: *` have their answer like any other. Express takes it for a match, and answers 304
 * without a body, even where no answer has an `ETag`. Files, which have one, are not its to judge.
 */
export function answerUnconditionally(app: NestExpressApplication): void {
  const { request } = app.getHttpAdapter().getInstance() as { readonly request: object };
  Object.defineProperty(request, 'fresh', { value: false });
}
