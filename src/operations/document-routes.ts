import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import { stringify } from 'yaml';
import { apiDocument } from './api-document.js';
import { serveDocsPage } from './docs-page/docs-page.js';
import { serveKept } from './kept-answer.js';

/** Serves the OpenAPI document as JSON and YAML, and the docs page. Makes the document once: that takes some 25 ms. */
export function serveDocuments(app: NestExpressApplication): void {
  let made: OpenAPIObject | undefined;
  const document = (): OpenAPIObject => (made ??= apiDocument(app));
  const serve = (path: string, type: string, write: () => string) =>
    serveKept(app, path, { type, caching: 'no-cache' }, () => Buffer.from(write()));
  serve('/openapi.json', 'application/json', () => JSON.stringify(document()));
  serve('/openapi.yaml', 'text/yaml', () =>
    stringify(document(), { aliasDuplicateObjects: false }),
  );
  serveDocsPage(app);
}
