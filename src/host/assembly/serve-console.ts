import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type NextFunction, type Request, type Response } from 'express';

/** The policy of the console: it loads its own files and calls the API beside it. */
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

/** The folder of the files whose names change with their content. */
const HASHED = `${sep}assets${sep}`;
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Whether a folder holds a built console. `npm run dev` builds none. */
export function isConsole(folder: string): boolean {
  return existsSync(join(folder, 'index.html'));
}

/**
 * Serves the files of the console at `/console/` (docs/guides/console.md). The addresses in them
 * are relative, so that they work behind a proxy that adds a prefix.
 */
export function serveConsole(app: NestExpressApplication, folder: string): void {
  const server: express.Express = app.getHttpAdapter().getInstance();
  // The route makes other methods 405. It ends with the files, or with 404.
  server.get('/console{/*file}', leadToFolder, protectConsole);
  const setHeaders = (response: Response, file: string): void => {
    response.setHeader('Cache-Control', file.includes(HASHED) ? FOR_EVER : 'no-cache');
  };
  const files = { redirect: false, cacheControl: false, setHeaders };
  app.use('/console', express.static(folder, files));
}

/** Redirects to the folder, where relative addresses begin. */
function leadToFolder({ path }: Request, response: Response, next: NextFunction): void {
  if (path.endsWith('/') || path.lastIndexOf('/') > 0) next();
  else response.redirect('console/');
}

function protectConsole(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Content-Security-Policy', POLICY);
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  next();
}
