import type { INestApplication } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { AUTHORIZE, isAuthorization } from './authorization-request.js';
import { Authorization } from './authorize.lookup.js';

/**
 * Serves the route of gateways. The route accepts all methods, and all paths below `/v1/authorize`, even a path that
 * does not decode. No Express route accepts such a path.
 */
export function serveAuthorization(app: INestApplication): void {
  const authorization = app.get(Authorization);
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (isAuthorization(request)) {
      // Metrics and the log know a route by its pattern.
      Object.assign(request, { route: { path: AUTHORIZE } });
      authorization.answer(request, response, next);
    } else {
      next();
    }
  });
}
