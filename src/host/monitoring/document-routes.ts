import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import type { Express, NextFunction, Request, Response } from 'express';
import { ERROR_TABLE } from '../../edge/http/answers/error-table.js';
import { SERVICE_NAME, VERSION } from '../../kernel/version.js';
import { apiDocument } from './api-document.js';

/** The policy of the page: it loads files and calls the API beside it, and nothing else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Swagger UI writes styles into the page.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Serves `GET /`: what this service is, and where its documents are (docs/api.md 1.1). */
export function serveRoot(app: NestExpressApplication, hasDocuments: boolean): void {
  const documents = hasDocuments ? { docs: 'docs', openapi: 'openapi.json' } : {};
  const express: Express = app.getHttpAdapter().getInstance();
  express.get('/', (_request, response) => {
    response.json({ name: SERVICE_NAME, version: VERSION, ...documents });
  });
}

/**
 * Serves Swagger UI at `/docs`, and the OpenAPI document at `/openapi.json` and `/openapi.yaml`.
 * All addresses in them are relative, so that they work behind a proxy that adds a prefix.
 * @param publicUrl the address that callers use, if it is known.
 */
export function serveDocuments(app: NestExpressApplication, publicUrl: string | undefined): void {
  app.use('/docs', leadToPage, protectPage);
  const express: Express = app.getHttpAdapter().getInstance();
  express.get('/docs/errors', listErrors);
  SwaggerModule.setup('docs', app, () => apiDocument(app, publicUrl), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Keyledger API',
    swaggerOptions: { layout: 'BaseLayout', validatorUrl: null },
  });
}

/** Lists every error, for readers of the document (docs/api.md 7). */
function listErrors(_request: Request, response: Response): void {
  const lines = Object.entries(ERROR_TABLE).map(
    ([reason, { status, message }]) => `${reason.padEnd(32)}  ${status}  ${message}\n`,
  );
  response.type('text').send(lines.join(''));
}

/** Redirects other addresses of the page to `/docs`, where its relative addresses start. */
function leadToPage({ originalUrl }: Request, response: Response, next: NextFunction): void {
  const depth = originalUrl.split('/').length - 2;
  if (/^\/docs\/+(?:index\.html)?$/.test(originalUrl)) {
    response.redirect(`${'../'.repeat(depth)}docs`);
  } else {
    next();
  }
}

/** No other site may frame the page or run scripts in it: people type management keys there. */
function protectPage(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Content-Security-Policy', POLICY).setHeader('X-Frame-Options', 'DENY');
  next();
}
