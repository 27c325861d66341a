import type { Request } from 'express';

/** What Express's types leave out of a layer of its router. */
interface Layer {
  readonly route?: { readonly stack: readonly { readonly method: string }[] };
  match(path: string): boolean;
}

/** The HTTP methods that the request's path answers; empty when no route has that path. */
export function allowedMethods(request: Request): string[] {
  const layers = request.app.router.stack as unknown[] as Layer[];
  // No route has an escape in its own part, and in a parameter it may not decode, of which a layer makes a fault.
  const path = request.path.replaceAll('%', '-');
  const methods = layers.flatMap((layer) => {
    if (!layer.route || !layer.match(path)) return [];
    return layer.route.stack.map(({ method }) => method.toUpperCase());
  });
  if (methods.includes('GET')) methods.push('HEAD');
  return [...new Set(methods)].sort();
}
