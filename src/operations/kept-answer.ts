import { createHash } from 'node:crypto';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';

/** The headers of an answer that is kept in memory. */
export interface Kept {
  /** The `Content-Type` of the answer. */
  readonly type: string;
  /** The `Cache-Control` of the answer. */
  readonly caching: string;
}

/**
 * Serves an answer that is the same for every request. The first request makes the answer, which then stays in memory.
 * A request with the `ETag` of the answer gets 304.
 */
export function serveKept(
  app: NestExpressApplication,
  path: string,
  { type, caching }: Kept,
  make: () => Buffer,
): void {
  let kept: { readonly bytes: Buffer; readonly tag: string } | undefined;
  const express: Express = app.getHttpAdapter().getInstance();
  express.get(path, (request, response) => {
    kept ??= withTag(make());
    response.setHeader('Cache-Control', caching).setHeader('ETag', kept.tag);
    if (request.headers['if-none-match']?.includes(kept.tag) === true) response.status(304).end();
    else response.type(type).send(kept.bytes);
  });
}

function withTag(bytes: Buffer): { bytes: Buffer; tag: string } {
  return { bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}
