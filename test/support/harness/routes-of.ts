import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';

export interface Route {
  readonly method: string;
  /** The path in the form of Express: `/v1/keys/:hash`. */
  readonly path: string;
}

/** Gives every route of the application's router. */
export function routesOf(app: NestExpressApplication): Route[] {
  const express: Express = app.getHttpAdapter().getInstance();
  return express.router.stack.flatMap(({ route }) => {
    if (!route) return [];
    return route.stack.map(({ method }) => ({ method: method.toUpperCase(), path: route.path }));
  });
}
