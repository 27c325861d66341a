import type { Request } from 'express';
import { decoded } from '../fields/query-string.js';

type TypedLayer = Request['app']['router']['stack'][number];

/** A layer of Express's router. The types of Express leave `match` out. */
interface Layer extends TypedLayer {
  match(path: string): { readonly params: Params } | false;
}

type Params = Readonly<Record<string, string | readonly string[]>>;

interface MatchingRoute {
  readonly methods: readonly string[];
  /** The path parameters before decoding, with `PERCENT` in place of each percent sign. */
  readonly params: Params;
}

/** The substitute for percent signs, because a layer throws for a path that does not decode. No path contains NUL. */
const PERCENT = '\0';

/**
 * Returns the HTTP methods of exactly the request's path; an empty list when no route has the path. A literal path such
 * as `/v1/keys/verify` is no value of a parameter.
 */
export function allowedMethods(request: Request): string[] {
  const matching = matchingRoutes(request);
  const literal = matching.filter(({ params }) => Object.keys(params).length === 0);
  const routes = literal.length > 0 ? literal : matching;
  const methods = new Set(routes.flatMap((route) => route.methods));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

/** Returns the names of the path parameters whose percent-encoding does not decode. */
export function undecodableParameters(request: Request): string[] {
  const parameters = matchingRoutes(request).flatMap(({ params }) => Object.entries(params));
  const broken = parameters.filter(([, value]) => ![value].flat().every(decodes));
  return [...new Set(broken.map(([name]) => name))];
}

function matchingRoutes(request: Request): MatchingRoute[] {
  const layers = request.app.router.stack as Layer[];
  const path = request.path.replaceAll('%', PERCENT);
  return layers.flatMap((layer) => {
    const matched = layer.route && layer.match(path);
    if (!layer.route || !matched) return [];
    const methods = layer.route.stack.map(({ method }) => method.toUpperCase());
    return [{ methods, params: matched.params }];
  });
}

function decodes(parameter: string): boolean {
  return decoded(parameter.replaceAll(PERCENT, '%')) !== undefined;
}
