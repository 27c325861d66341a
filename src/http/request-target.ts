import type { IncomingMessage, Server } from 'node:http';

const NO_ROUTE = '/*';

/**
 * Replaces a request target without a path, such as `*`, with a path that no route has. Express would answer such a
 * request with a page of its own, and skip every middleware.
 */
export function readTargets(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    const { url = '' } = request;
    if (!url.startsWith('/') && !URL.canParse(url)) request.url = NO_ROUTE;
  });
}
