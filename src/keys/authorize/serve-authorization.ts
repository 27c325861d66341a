import type { INestApplication } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { errorBody } from '../../http/error-body.js';
import { FAULT_TABLE } from '../../http/error-table.js';
import { AUTHORIZE, isAuthorization } from './authorization-request.js';
import { Authorization } from './authorize.lookup.js';

/**
 * Serves the route of gateways. The route accepts all methods, and all paths below `/v1/authorize`, even a path that
 * does not decode. No Express route accepts such a path. A server that is bound to a management key serves only this
 * route.
 */
export function serveAuthorization(app: INestApplication): void {
  const authorization = app.get(Authorization);
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (isAuthorization(request)) {
      // Metrics and the log know a route by its pattern.
      Object.assign(request, { route: { path: AUTHORIZE } });
      authorization.answer(request, response, next);
    } else if (authorization.isBound(request)) {
      sendRouteUnknown(request, response);
    } else {
      next();
    }
  });
}

function sendRouteUnknown({ requestId }: Request, response: Response): void {
  const error = { reason: 'route-unknown', ...FAULT_TABLE['route-unknown'] };
  response.status(error.status).json(errorBody(error, { requestId }));
}
