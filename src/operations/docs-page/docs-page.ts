import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { type Kept, serveKept } from '../kept-answer.js';
import { MARK, PAGE } from './page.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';

const CSS = 'text/css';
const JAVASCRIPT = 'text/javascript';

/** The Content-Security-Policy: allows files and API calls of the same origin, forbids inline scripts and styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Serves the page at `/docs`, in which Swagger UI renders the operations (ADR 25). */
export function serveDocsPage(app: NestExpressApplication): void {
  app.use('/docs', protectPage);
  const own = (path: string, type: string, text: string) =>
    serveKept(app, path, { type, caching: 'no-cache' }, () => Buffer.from(text));
  own('/docs', 'text/html', PAGE);
  own('/docs/page.css', CSS, STYLE);
  own('/docs/page.js', JAVASCRIPT, SCRIPT);
  own('/docs/mark.svg', 'image/svg+xml', MARK);
  servePackaged(app, 'swagger-ui.css', CSS);
  servePackaged(app, 'swagger-ui-bundle.js', JAVASCRIPT);
}

/** Serves a file of the package swagger-ui-dist. The file changes with a release only, so caches may keep it. */
function servePackaged(app: NestExpressApplication, file: string, type: string): void {
  const kept: Kept = { type, caching: 'public, max-age=3600' };
  serveKept(app, `/docs/${file}`, kept, () => readFileSync(join(packageFolder(), file)));
}

function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

/** Stops other sites from framing the page or running scripts in it, because people type management keys there. */
function protectPage(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Content-Security-Policy', POLICY).setHeader('X-Frame-Options', 'DENY');
  next();
}
