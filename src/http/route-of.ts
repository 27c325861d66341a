import type { Request } from 'express';

/** The pattern of the route that took a request. (A path as sent may hold what nobody should read.) */
export function routeOf(request: Request): string | undefined {
  const route: unknown = request.route;
  if (typeof route !== 'object' || route === null || !('path' in route)) return undefined;
  return typeof route.path === 'string' ? route.path : undefined;
}
