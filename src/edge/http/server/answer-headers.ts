import type { NextFunction, Request, Response } from 'express';

/**
 * Sets the headers of every answer (docs/api.md 1.1). They forbid type sniffing, referrers and
 * caches. This middleware runs first, so that error answers have the headers too.
 */
export function protectAnswer(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cache-Control', 'no-store');
  next();
}
