import type { NextFunction, Request, Response } from 'express';

/** Headers of every answer (docs/api.md 1.1). They forbid type sniffing, referrers and caches. */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** Sets the headers of every answer. This middleware runs first, so that error answers have the headers too. */
export function protectAnswer(_request: Request, response: Response, next: NextFunction): void {
  for (const name in ANSWER_HEADERS) response.setHeader(name, ANSWER_HEADERS[name] ?? '');
  next();
}
