import type { NestExpressApplication } from '@nestjs/platform-express';

/** Makes Express answer `If-None-Match: *` in full, not with a 304 without a body: its answers have no `ETag`. */
export function answerUnconditionally(app: NestExpressApplication): void {
  const { request } = app.getHttpAdapter().getInstance() as { readonly request: object };
  Object.defineProperty(request, 'fresh', { value: false });
}
