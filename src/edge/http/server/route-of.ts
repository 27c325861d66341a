import type { Request } from 'express';

/** Returns the pattern of a request's route, if it has one. The path itself may hold secrets. */
export function routeOf(request: Request): string | undefined {
  const route: unknown = request.route;
  if (typeof route !== 'object' || route === null || !('path' in route)) return undefined;
  return typeof route.path === 'string' ? route.path : undefined;
}
