import type { NextFunction, Request, Response } from 'express';

/** Headers of every answer (docs/api.md 1.1): read as the type it has, known to no other site, kept by no cache. */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** Gives an answer the headers that all of them have, before anything can fail. */
export function protectAnswer(_request: Request, response: Response, next: NextFunction): void {
  for (const name in ANSWER_HEADERS) response.setHeader(name, ANSWER_HEADERS[name] ?? '');
  next();
}
