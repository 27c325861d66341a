import type { Request } from 'express';

type TypedLayer = Request['app']['router']['stack'][number];

/** A layer of Express's router. The types of Express leave `match` out. */
interface Layer extends TypedLayer {
  match(path: string): { readonly params: object } | false;
}

/**
 * Returns the methods of the routes that have the path of a request, and the names of parameters in
 * it. The literal `/v1/keys/verify` is no value of a parameter.
 */
export function matchingRoutes(request: Request) {
  // A layer throws for a percent sign that does not decode.
  const path = request.path.replaceAll('%', '_');
  const matching = (request.app.router.stack as Layer[]).flatMap((layer) => {
    const matched = layer.route && layer.match(path);
    if (!layer.route || !matched) return [];
    return [{ route: layer.route, parameters: Object.keys(matched.params) }];
  });
  const literal = matching.filter(({ parameters }) => parameters.length === 0);
  const routes = literal.length > 0 ? literal : matching;
  const methods = routes.flatMap(({ route }) => route.stack.map(({ method }) => method));
  const heads = methods.includes('get') ? ['head'] : [];
  return {
    methods: [...new Set([...methods, ...heads])].map((method) => method.toUpperCase()).sort(),
    parameters: [...new Set(routes.flatMap(({ parameters }) => parameters))],
  };
}
