import type { NestExpressApplication } from '@nestjs/platform-express';
import { NAME, VERSION } from '../version.js';
import { serveKept } from './kept-answer.js';

/**
 * Serves `GET /`: what this service is, and where its documents are (docs/api.md 1.1).
 * @param hasDocuments whether the documents are served.
 */
export function serveRoot(app: NestExpressApplication, hasDocuments: boolean): void {
  const documents = hasDocuments ? { docs: '/docs', openapi: '/openapi.json' } : {};
  const body = JSON.stringify({ name: NAME, version: VERSION, ...documents });
  serveKept(app, '/', { type: 'application/json', caching: 'no-cache' }, () => Buffer.from(body));
}
