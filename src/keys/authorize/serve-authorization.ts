import type { INestApplication } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { AUTHORIZE, isAuthorization } from './authorization-request.js';
import { Authorization } from './authorize.lookup.js';

/**
 * Serves the route of gateways. It takes every method and every path below it, decoded or not, which no route of Express
 * does.
 */
export function serveAuthorization(app: INestApplication): void {
  const authorize = app.get(Authorization).handler();
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (!isAuthorization(request)) {
      next();
      return;
    }
    // Metrics and the log know a route by its pattern.
    Object.assign(request, { route: { path: AUTHORIZE } });
    authorize(request, response, next);
  });
}
