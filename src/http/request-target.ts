import type { IncomingMessage, Server } from 'node:http';

/**
 * Takes a request target without a path, such as `*` or half an address, for the root, which no route has. Express
 * would pass such a request by all that is ours and answer it with a page of its own.
 */
export function readTargets(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    const { url = '' } = request;
    if (!url.startsWith('/') && !URL.canParse(url)) request.url = '/';
  });
}
