import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { type Kept, serveKept } from './kept-answer.js';

const CSS = 'text/css';
const SCRIPT = 'text/javascript';

/** The page may load its own files and call the API of the same origin. Inline scripts and styles are forbidden. */
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

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Keyledger API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/page.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/swagger-ui-init.js"></script>
  </body>
</html>
`;

const STYLE = 'body { margin: 0; background: #fafafa; }\n';

/** By default Swagger UI sends the address of the document to a public validator, so `validatorUrl` is null. */
const INIT = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
});
`;

/** Serves the page with Swagger UI at `/docs`. */
export function serveDocsPage(app: NestExpressApplication): void {
  app.use('/docs', protectPage);
  const own = (path: string, type: string, text: string) =>
    serveKept(app, path, { type, caching: 'no-cache' }, () => Buffer.from(text));
  own('/docs', 'text/html', PAGE);
  own('/docs/page.css', CSS, STYLE);
  own('/docs/swagger-ui-init.js', SCRIPT, INIT);
  servePackaged(app, 'swagger-ui.css', CSS);
  servePackaged(app, 'swagger-ui-bundle.js', SCRIPT);
}

/** Serves a file of the package swagger-ui-dist. The file changes with a release only, so caches may keep it. */
function servePackaged(app: NestExpressApplication, file: string, type: string): void {
  const kept: Kept = { type, caching: 'public, max-age=3600' };
  serveKept(app, `/docs/${file}`, kept, () => readFileSync(join(packageFolder(), file)));
}

function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

/** People type management keys into the page, so no other site may frame it or run scripts in it. */
function protectPage(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Content-Security-Policy', POLICY).setHeader('X-Frame-Options', 'DENY');
  next();
}
