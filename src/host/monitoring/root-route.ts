import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { NAME, VERSION } from '../../kernel/version.js';

/**
 * Serves `GET /`: what this service is, and where its documents are (docs/api.md 1.1).
 * @param hasDocuments whether the documents are served.
 */
export function serveRoot(app: NestExpressApplication, hasDocuments: boolean): void {
  const documents = hasDocuments ? { docs: 'docs', openapi: 'openapi.json' } : {};
  const express: Express = app.getHttpAdapter().getInstance();
  express.get('/', (_request, response) => {
    response.json({ name: NAME, version: VERSION, ...documents });
  });
}
