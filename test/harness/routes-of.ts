import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';

export interface Route {
  readonly method: string;
  /** As Express has it: `/v1/keys/:hash`. */
  readonly path: string;
}

/** Every route that the application answers, as its router has it. */
export function routesOf(app: NestExpressApplication): Route[] {
  const express: Express = app.getHttpAdapter().getInstance();
  return express.router.stack.flatMap(({ route }) => {
    if (!route) return [];
    return route.stack.map(({ method }) => ({ method: method.toUpperCase(), path: route.path }));
  });
}
