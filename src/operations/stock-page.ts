import { NotFoundException } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

/** Below the page of the API. */
const STOCK = /^\/\/+$|^\/(?:index\.html|swagger-initializer\.js)$/i;

/** Hides the page that comes with the page's files, which shows the API of somebody else. */
export function hideStockPage(request: Request, _response: Response, next: NextFunction): void {
  next(STOCK.test(request.path) ? new NotFoundException() : undefined);
}
