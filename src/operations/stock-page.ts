import { NotFoundException } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

/** Below the page of the API. */
const STOCK = /^\/\/+$|^\/(?:index\.html|swagger-initializer\.js)$/i;

/** Hides the page that comes with the page's files, which shows the API of somebody else. */
export function hideStockPage(request: Request, _response: Response, next: NextFunction): void {
  next(STOCK.test(request.path) ? new NotFoundException() : undefined);
}

/** A management key is typed into the page: nobody may show it in a frame of theirs, or have its files taken for others. */
export function protectPage(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Content-Security-Policy', "frame-ancestors 'none'");
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  next();
}
